import { expect, setDefaultTimeout, test } from 'bun:test'
import { parseFieldMap } from '../../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../../src/ingest/fields/fields'
import { ingestParcels } from '../../../../src/ingest/ingest'
import { inFolder, writeFixture } from '../../../ingest/files/write-fixture'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { createTestApp, insertCounty } from '../../test-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, call } = await createTestApp()
await insertCounty(sql)

const ingest = (owner: string) =>
  ingestParcels(sql, 'elm', {
    file: writeFixture('poll.csv', `source_parcel_id,owner_name\n1,${owner}\n2,${owner}\n`),
    map: parseFieldMap('', PARCEL_FIELDS),
    rejectsFile: inFolder('poll.rejects.csv'),
    isComplete: true,
  })

interface Poll {
  parcels: { source_parcel_id: string }[]
  complete_until?: string
}
const poll = async (since: string): Promise<Poll> =>
  (await call(`/v1/parcels?source=elm&changed_since=${since}`)).body as Poll
const idsOf = ({ parcels }: Poll) => parcels.map((parcel) => parcel.source_parcel_id).sort()

test('polls that continue from complete_until get the changes of a load that was running during a poll', async () => {
  await ingest('BEFORE')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>()
  const holding = sql.begin(async (tx) => {
    await tx`select from parcels where source_parcel_id = '2' for update`
    lock()
    await released
  })
  await locked
  const loading = ingest('AFTER')
  await waitFor(async () => {
    const [row] = await sql`
      select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return row?.waiting === 1
  })
  const [{ polledAt }] = await sql<[{ polledAt: string }]>`select iso_utc(clock_timestamp()) as "polledAt"`
  const during = await poll(polledAt)
  release()
  await Promise.all([holding, loading])

  expect(idsOf(during)).toEqual([])
  expect(idsOf(await poll(polledAt))).toEqual([])
  expect(idsOf(await poll(during.complete_until ?? polledAt))).toEqual(['1', '2'])
})

test('a list that is not a poll has no complete_until', async () => {
  const { body } = await call('/v1/parcels?source=elm')
  expect(body).not.toHaveProperty('complete_until')
})

test('a list in an area has complete_until too', async () => {
  const area = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  }
  const path = '/v1/parcels/within?changed_since=2026-01-02'
  const { body } = await call(path, { method: 'POST', body: area })
  expect(Date.parse((body as Poll).complete_until ?? '')).toBeLessThan(Date.now())
})
