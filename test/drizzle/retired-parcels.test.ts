import { expect, test } from 'bun:test'
import type { Bbox } from '../../core/geometry/bbox'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import { ALL_STATES } from '../../core/state-set'
import { upsertEntities } from '../../drizzle/queries/entities/upsert-entities'
import { listAllFindings } from '../../drizzle/queries/findings/findings'
import { storeFindings } from '../../drizzle/queries/findings/store-findings'
import { enqueueFiltered } from '../../drizzle/queries/jobs/order/enqueue-filtered'
import { listFoundParcels } from '../../drizzle/queries/parcels/list-parcels'
import { findExampleParcel } from '../../drizzle/queries/parcels/parcels'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { enqueueRunSet } from '../../drizzle/queries/refreshes/enqueue-runs'
import {
  listParcelsByKey,
  listParcelsByOwner,
  listParcelsByTrigram,
  listParcelsByWords,
} from '../../drizzle/queries/search/search-by-trigram'
import {
  countSearchRows,
  listExistingIds,
  listParcelsAfter,
  listParcelsToIndex,
} from '../../drizzle/queries/search/search-documents'
import { listOwnerMembers } from '../../drizzle/queries/search/search-owner-members'
import { listVocabulary } from '../../drizzle/queries/search/search-vocabulary'
import { listSourceHealth } from '../../drizzle/queries/sources/source-health'
import { countDrawnParcels } from '../../drizzle/queries/tiles/parcel-cells'
import { findDrawnChanges } from '../../drizzle/queries/tiles/published-tiles'
import { countTableBlocks, forEachTileParcel, hasTileParcels } from '../../drizzle/queries/tiles/tile-parcels'
import { insertSource, insertVendor } from '../jobs/job-rows'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
await insertVendor(sql, 'test', 1)
await insertSource(sql, 'elm', 'test')
const bbox: Bbox = [0, 0, 1, 1]
const geom = {
  type: 'MultiPolygon' as const,
  coordinates: [
    [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  ],
}
await upsertEntities(sql, 'OR', [{ registryNumber: 'R1', name: 'Acme Holdings LLC' }])
await upsertParcels(sql, 'elm', [
  {
    sourceParcelId: '1',
    ownerName: 'ACME HOLDINGS, L.L.C.',
    situsAddress: '1 ZEPHYR ST',
    isAgricultural: true,
    geom,
    bbox,
  },
])
const id = (await sql<{ id: string }[]>`select id from parcels`)[0]?.id ?? ''
await storeFindings(sql, [
  {
    parcelId: id,
    findings: [
      { rule: 'test', subject: '', severity: 'low', category: 'tax', evidence: {}, suggestedAction: 'look at it' },
    ],
  },
])

const allBlocks = async () => ({ firstBlock: 0, blocks: await countTableBlocks(sql) })
const undoing = <Result>(work: (tx: Parameters<typeof enqueueRunSet>[0]) => Promise<Result>): Promise<Result> => {
  let result: Result
  return sql
    .begin(async (tx) => {
      result = await work(tx)
      throw new Error('undone')
    })
    .catch(() => result) as Promise<Result>
}

/** How many parcels each read finds. There is one. */
const READS: Record<string, () => Promise<number>> = {
  'a box': async () =>
    (
      await listFoundParcels(
        sql,
        { filter: { ...LISTED_PARCELS, bbox }, fields: [], withGeometry: false, order: 'id', after: null },
        5,
      )
    ).count,
  'a list': async () =>
    (
      await listFoundParcels(
        sql,
        { filter: LISTED_PARCELS, fields: [], withGeometry: false, order: 'parcel', after: null },
        5,
      )
    ).count,
  'the documents of ids': async () => (await listParcelsToIndex(sql, [id])).length,
  'a rebuild of the index': async () => (await listParcelsAfter(sql, null, 5)).length,
  'the check of the index': async () => (await listExistingIds(sql, 'parcel', [id], ALL_STATES)).length,
  'the number of documents': async () => (await countSearchRows(sql)).parcels,
  'a search by trigrams': async () =>
    (await listParcelsByTrigram(sql, 'situs_address', 'similar', '1 zephyr st', LISTED_PARCELS, null, 5)).length,
  'a search by words': async () =>
    (await listParcelsByWords(sql, [{ spellings: ['zephyr'], isIndexed: true }], LISTED_PARCELS, 5)).length,
  'a search by id': async () => (await listParcelsByKey(sql, ['1'], LISTED_PARCELS, 5)).length,
  'a search by owner': async () => (await listParcelsByOwner(sql, 'acme holdings llc', LISTED_PARCELS, 5)).length,
  'the parcels of an owner': async () =>
    (await listOwnerMembers(sql, ['ACME HOLDINGS, L.L.C.'], LISTED_PARCELS, 5))[0]?.memberCount ?? 0,
  'the vocabulary': async () => (await listVocabulary(sql)).filter(({ word }) => word === 'zephyr').length,
  'the tiles': async () => {
    let drawn = 0
    await forEachTileParcel(sql, { filter: LISTED_PARCELS, sources: null }, await allBlocks(), [], () => drawn++)
    return drawn
  },
  'the number of drawn parcels': async () =>
    (await countDrawnParcels(sql, { filter: LISTED_PARCELS, sources: null }, 1)).cells[0]?.parcels ?? 0,
  'whether there is anything to draw': async () => Number(await hasTileParcels(sql)),
  'the findings of all parcels': async () =>
    (
      await listAllFindings(sql, {
        dismissed: 'false',
        severity: null,
        category: null,
        source: null,
        after: null,
        limit: 5,
      })
    ).length,
  'an example parcel': async () => ((await findExampleParcel(sql)) === null ? 0 : 1),
  'a refresh': () =>
    undoing(async (tx) => {
      await tx`update source_refresh_policies set run_started_at = now()`
      await enqueueRunSet(tx, 'elm', 5)
      return Number((await tx`select count(*) from scrape_jobs`)[0]?.count)
    }),
  'a request for all farms': () =>
    undoing(async (tx) => {
      const counts = await enqueueFiltered(
        tx,
        { filter: { ...LISTED_PARCELS, source: 'elm', isAgricultural: true }, limit: 5, skipFresh: false },
        null,
      )
      return counts?.enqueued ?? 0
    }),
  'the tally of the source': async () => {
    const [row] = await listSourceHealth(sql, { after: null, limit: null })
    return JSON.parse(row?.body ?? '{}').parcel_count
  },
  'the parcels of an entity': async () =>
    (await sql`select linked_parcel_count as n from entities join entity_parcels on entity_id = id`)[0]?.n ?? 0,
}

const findCounts = async () =>
  Object.fromEntries(await Promise.all(Object.entries(READS).map(async ([name, read]) => [name, await read()])))
const counts = (n: number) => Object.fromEntries(Object.keys(READS).map((name) => [name, n]))

test('no read finds a retired parcel, and every read finds it again when it returns', async () => {
  expect(await findCounts()).toEqual(counts(1))
  await sql`update parcels set retired_at = now()`
  expect(await findCounts()).toEqual(counts(0))
  expect((await sql`select linked_parcel_count as n from entities`)[0]?.n).toBe(0)
  await sql`update parcels set retired_at = null`
  expect(await findCounts()).toEqual(counts(1))
})

test('retiring and returning each send one document to the index and count one drawn change', async () => {
  const changed = async (change: () => Promise<unknown>) => {
    await sql`delete from search_outbox`
    const before = await findDrawnChanges(sql)
    await change()
    const documents = await sql<{ kind: string }[]>`select kind from search_outbox order by kind`
    return { documents: documents.map(({ kind }) => kind), drawn: (await findDrawnChanges(sql)) - before }
  }
  const one = { documents: ['parcel', 'entity'], drawn: 1 }
  expect(await changed(() => sql`update parcels set retired_at = now()`)).toEqual(one)
  const none = { documents: [], drawn: 0 }
  expect(await changed(() => sql`update parcels set retired_at = now(), updated_at = now()`)).toEqual(none)
  expect(await changed(() => sql`update parcels set retired_at = null`)).toEqual(one)
})

test('an entity that is added or renamed is not linked to a retired parcel, and one that was retired first is linked when it returns', async () => {
  await sql`update parcels set retired_at = now()`
  await upsertEntities(sql, 'OR', [{ registryNumber: 'R2', name: 'Acme Holdings LLC' }])
  await upsertEntities(sql, 'OR', [{ registryNumber: 'R1', name: 'Another Name' }])
  await upsertEntities(sql, 'OR', [{ registryNumber: 'R1', name: 'Acme Holdings LLC' }])
  const linked = async () =>
    (await sql<{ n: number }[]>`select linked_parcel_count as n from entities order by registry_number`).map(
      ({ n }) => n,
    )
  expect(await linked()).toEqual([0, 0])
  await sql`update parcels set retired_at = null`
  expect(await linked()).toEqual([1, 1])
  await sql`update parcels set retired_at = now()`
  await sql`delete from parcels`
  expect(await linked()).toEqual([0, 0])
})
