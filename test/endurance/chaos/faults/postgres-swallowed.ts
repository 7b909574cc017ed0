import type { Scenario } from '../scenario'

/** A proxy, a firewall or a network that accepts bytes and drops them: neither side sees a closed connection. */
export const scenario: Scenario = {
  promise: 'dead connections to PostgreSQL are replaced, and work continues',
  roles: ['api', 'worker', 'sync'],
  run: async ({ queue, roles, call, countEnded, recovers }) => {
    const jobs = 300
    await queue(jobs)
    await recovers('the first jobs end', async () => (await countEnded()) >= 10, 30_000)
    for (const { links } of roles) links.postgres.swallow('open')
    const before = await countEnded()
    await recovers('requests are answered', async () => (await call('/v1/sources?limit=1')).status === 200, 15_000)
    await recovers('jobs end again', async () => (await countEnded()) > before + 5, 40_000)
    await recovers('every job ends', async () => (await countEnded()) === jobs, 90_000)
  },
}
