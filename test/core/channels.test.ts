import { expect, test } from 'bun:test'
import { CHANNELS } from '../../core/channels'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()

test('every channel that a database function notifies is in the list', async () => {
  const rows = await sql<{ channel: string }[]>`
    select distinct match[1] as channel
    from pg_proc join pg_namespace n on n.oid = pronamespace and nspname = 'public',
      regexp_matches(prosrc, '\\mnotify\\s+"?(\\w+)', 'gi') as match`
  expect(rows.map(({ channel }) => channel).toSorted()).toEqual([CHANNELS.parcelChanges, CHANNELS.searchOutbox])
})
