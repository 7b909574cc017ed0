import type { Scenario } from '../scenario'

/** SIGKILL: no connection is closed by the process itself, no lease is given back. */
export const scenario: Scenario = {
  promise: 'jobs of a worker that is killed are done by the other one',
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
