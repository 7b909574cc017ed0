import { countOutbox } from '../../../../drizzle/queries/search/search-outbox'
import { changeOwner, findLeader, isStarted, makeDue } from '../leading'
import type { Scenario } from '../scenario'

/** How long a leader may be silent before another takes over. */
const TAKEN_OVER_MS = 10_000

/** SIGSTOP: connections stay open, and nothing is renewed. */
export const scenario: Scenario = {
  promise:
    'when the leaders of dispatching, scheduling and indexing freeze, others take over within 10 s, and writes of the old ones are refused',
  roles: ['worker', 'worker', 'scheduler', 'scheduler', 'sync', 'sync', 'api'],
  expectedErrors: ['worker_lost'],
  run: async (stack) => {
    const { sql, queue, countEnded, recovers } = stack
    await queue(30)
    await makeDue(stack, 'county-0')
    await recovers('jobs end before the fault', async () => (await countEnded()) >= 30, 60_000)
    await recovers('a refresh begins before the fault', isStarted(stack, 'county-0'), 20_000)
    const frozen = (['worker', 'scheduler', 'sync'] as const).map((role) => findLeader(stack, role))
    for (const role of frozen) role.freeze()

    const ids = await queue(30)
    await makeDue(stack, 'county-1')
    await changeOwner(stack, 'county-2', 'OWNER AFTER THE FREEZE')
    await Promise.all([
      recovers(
        'jobs are dispatched',
        async () =>
          (await sql`select from scrape_jobs where id = any(${ids}::uuid[]) and dispatched_at is not null`).length > 0,
        TAKEN_OVER_MS,
      ),
      recovers('a refresh begins', isStarted(stack, 'county-1'), TAKEN_OVER_MS),
      recovers('the index learns of a change', async () => (await countOutbox(sql)) === 0, TAKEN_OVER_MS),
    ])
    for (const role of frozen) role.thaw()
    await makeDue(stack, 'county-3')
    await changeOwner(stack, 'county-2', 'OWNER AFTER THE THAW')
    await recovers('a refresh begins after the thaw', isStarted(stack, 'county-3'), TAKEN_OVER_MS)
    await recovers(
      'a change reaches the index after the thaw',
      async () => (await countOutbox(sql)) === 0,
      TAKEN_OVER_MS,
    )
  },
}
