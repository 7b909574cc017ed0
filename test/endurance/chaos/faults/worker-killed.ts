import type { Scenario } from '../scenario'

/** SIGKILL: the process closes no connection and returns no lease. */
export const scenario: Scenario = {
  promise: 'another worker completes the jobs of a killed worker',
  roles: ['worker', 'worker'],
  run: async ({ queue, role, countEnded, recovers }) => {
    const jobs = 120
    await queue(jobs)
    await recovers('the first jobs end', async () => (await countEnded()) >= 10, 20_000)
    await role('worker-1').kill('SIGKILL')
    await recovers('every job ends', async () => (await countEnded()) === jobs, 60_000)
    await role('worker-1').start()
  },
}
