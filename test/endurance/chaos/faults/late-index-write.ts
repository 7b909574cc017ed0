import { isDeepStrictEqual } from 'node:util'
import { countOutbox } from '../../../../drizzle/queries/search/search-outbox'
import { readBothSides } from '../../../search/expected-index'
import { changeOwner, findLeader } from '../leading'
import type { Scenario } from '../scenario'

/** Longer than a change of leader takes, so that the writes of the first process arrive after those of the second. */
const LATE_MS = 12_000

export const scenario: Scenario = {
  promise:
    'writes that a sync role sent before it froze may arrive late: the index is correct within 5 s after the thaw',
  roles: ['sync', 'sync', 'api'],
  run: async (stack) => {
    const { sql, servers, recovers } = stack
    let change = 0
    const changeMany = async (forMs: number) => {
      for (const until = performance.now() + forMs; performance.now() < until; change++) {
        await changeOwner(stack, `county-${change % 8}`, `OWNER ${change}`)
        await Bun.sleep(20)
      }
    }
    await changeMany(1_000)
    const first = findLeader(stack, 'sync')
    first.links.meilisearch.delay(LATE_MS)
    await changeMany(1_000)
    first.freeze()
    await changeMany(500)
    await recovers('the other one sends what changed', async () => (await countOutbox(sql)) === 0, 12_000)
    await Bun.sleep(LATE_MS)
    first.links.meilisearch.pass()
    first.thaw()
    await recovers(
      'the index matches the database',
      async () => {
        if ((await countOutbox(sql)) > 0) return false
        const { wanted, indexed } = await readBothSides(sql, servers.meili)
        const ownersOf = (documents: readonly { id: string; owner_name?: unknown }[]) =>
          new Map(documents.map(({ id, owner_name }) => [id, owner_name]))
        return isDeepStrictEqual(ownersOf(indexed.parcels), ownersOf(wanted.parcels))
      },
      5_000,
    )
  },
}
