import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fieldKey, RECORD_FIELDS } from '../../core/parcels/fields'
import { encodeFeature } from '../../dev/sample-county/encode-feature'
import { type Roll, type RollChange, sampleRolls } from '../../dev/sample-county/rolls'
import type { ParcelInput } from '../../drizzle/records'
import { createSearch } from '../../search/search'
import { createSearchSync } from '../../search/sync/sync'
import { ingestParcels } from '../../src/ingest/ingest'
import { buildTiles, DEFAULT_TILE_OPTIONS } from '../../tiles-build/build'
import { createTestApp } from '../http/test-app'
import { insertSource } from '../jobs/job-rows'
import { testMeilisearch, waitFor } from '../support/servers'
import { readArchive } from '../tiles-build/read-archive'

/*
 * Seven yearly lists of a county are loaded one after another, as an analyst would load them. The generator of the lists also lists what
 * changed, independently of the change log.
 */
const SOURCE = 'larkspur'
const PARCELS = 600

const dir = mkdtempSync(join(tmpdir(), 'seven-years-'))
afterAll(() => rmSync(dir, { recursive: true }))
const { call, sql, url, useSearch } = await createTestApp()
const indexPrefix = `${url.split('/').at(-1)}_`
useSearch(createSearch({ sql, meili: testMeilisearch(), indexPrefix }))
const sync = createSearchSync({ databaseUrl: url, meili: testMeilisearch(), indexPrefix })
afterAll(() => sync.stop())
await insertSource(sql, SOURCE, 'test')

interface LoadedRoll extends Roll {
  /** A time between the load of this year and the next. */
  loadedAt: string
}

const load = async (roll: Roll): Promise<LoadedRoll> => {
  const file = join(dir, `${roll.year}.geojsonl`)
  writeFileSync(file, roll.parcels.map((parcel) => `${encodeFeature(parcel)}\n`).join(''))
  const { load: outcome, ...summary } = await ingestParcels(sql, SOURCE, {
    ...{ file, map: [], isComplete: true, rejectsFile: join(dir, 'rejects.csv') },
  })
  const count = (action: RollChange['action']) => roll.changes.filter((change) => change.action === action).length
  expect(outcome).toMatchObject({ status: 'applied' })
  expect(summary).toMatchObject({ rejected: 0, inserted: count('created'), retired: count('retired') })
  expect(summary.updated).toBe(count('changed') + count('returned'))
  // Later changes have a later time, in milliseconds.
  await Bun.sleep(5)
  const loadedAt = new Date().toISOString()
  await Bun.sleep(5)
  return { ...roll, loadedAt }
}

const find = async (name: string) => {
  const { body } = await call(`/v1/search?types=parcels&limit=50&q=${encodeURIComponent(name)}`)
  return body.results as { source_parcel_id: string; owner_name: string }[]
}
/** The parcels that a list has under other owners than the one before it. */
const listSold = ({ changes: all }: Roll) =>
  all.flatMap(({ id, changes }) => {
    const [former, current] = (changes.owner_name ?? []) as string[]
    return former === undefined || current === undefined ? [] : { id, former, current }
  })

const rolls: LoadedRoll[] = []
const years = [...sampleRolls({ parcels: PARCELS, years: [2019, 2020, 2021, 2022, 2023, 2024, 2025] })]
for (const roll of years.slice(0, -1)) rolls.push(await load(roll))
sync.start()
await sync.drain()
rolls.push(await load(years.at(-1) as Roll))
const [, ...later] = rolls
const last = rolls.at(-1) as LoadedRoll

/** Waits until search has the owners of the last list. Returns the time since the load. */
const waitForSearch = async (): Promise<number> => {
  for (const { id, former, current } of listSold(last)) {
    const has = async (name: string) =>
      (await find(name)).some((hit) => hit.source_parcel_id === id && hit.owner_name === name)
    await waitFor(async () => (await has(current)) && !(await has(former)))
  }
  return Date.now() - Date.parse(last.loadedAt)
}
const searchedAfterMs = await waitForSearch()
await sync.drain()

/** All changes of the source, oldest first, page by page. */
const readChanges = async () => {
  const changes: { id: string; at: string; action: string; changes: Record<string, unknown> }[] = []
  for (let after = 0; ; ) {
    const { body } = await call(`/v1/changes?source=${SOURCE}&after=${after}&limit=97`)
    if (body.changes.length === 0) return changes
    for (const { source_parcel_id: id, at, action, changes: fields } of body.changes)
      changes.push({ id, at, action, changes: fields })
    after = body.next
  }
}

test('the change log of each year is exactly the list of what changed', async () => {
  const changes = await readChanges()
  let from = ''
  for (const roll of rolls) {
    const ofYear = changes.filter(({ at }) => at > from && at <= roll.loadedAt)
    from = roll.loadedAt
    const told = ofYear.map(({ id, action, changes: { retired_at: _, ...fields } }) => ({
      id,
      action,
      changes: fields,
    }))
    expect(told.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(roll.changes.map(toAnswer))
  }
  expect(changes.length).toBe(rolls.reduce((sum, roll) => sum + roll.changes.length, 0))
})

const toAnswer = ({ changes, ...change }: RollChange) => ({
  ...change,
  changes: Object.fromEntries(
    Object.entries(changes).map(([field, [former, current]]) => [field, { former, new: current }]),
  ),
})

const toRecord = (parcel: ParcelInput) => ({
  source_parcel_id: parcel.sourceParcelId,
  geom_geojson: parcel.geom ?? null,
  ...Object.fromEntries(RECORD_FIELDS.map((name) => [name, parcel[fieldKey(name)] ?? null])),
})

test('each parcel as of each year is the one in the list of that year, with every field and its boundary', async () => {
  for (const { loadedAt, parcels } of rolls) {
    for (const parcel of parcels) {
      const { status, body } = await call(`/v1/parcels/${SOURCE}/${parcel.sourceParcelId}?as_of=${loadedAt}`)
      expect(status).toBe(200)
      expect(body).toMatchObject(toRecord(parcel))
      expect(body.retired_at ?? null).toBeNull()
    }
  }
})

test('a parcel that a later list omits is retired as of that year, and a parcel is unknown before the first list that has it', async () => {
  for (const { loadedAt, changes } of later) {
    for (const { id, action } of changes) {
      if (action === 'retired') {
        const { status, body } = await call(`/v1/parcels/${SOURCE}/${id}?as_of=${loadedAt}`)
        expect([status, typeof body.retired_at]).toEqual([200, 'string'])
      }
    }
  }
  const [first] = rolls
  for (const { id, action } of later.flatMap(({ changes }) => changes)) {
    if (action === 'created')
      expect((await call(`/v1/parcels/${SOURCE}/${id}?as_of=${first?.loadedAt}`)).status).toBe(404)
  }
})

test('the box of the county as of each year lists the parcels of that year', async () => {
  for (const { loadedAt, parcels } of rolls) {
    const ids: string[] = []
    for (let after = ''; ; ) {
      const { body } = await call(`/v1/parcels?bbox=-122,42,-119,45&as_of=${loadedAt}&limit=500${after}`)
      ids.push(...body.parcels.map(({ source_parcel_id: id }: { source_parcel_id: string }) => id))
      if (body.next === null) break
      after = `&after=${body.next}`
    }
    expect(ids.toSorted()).toEqual(parcels.map(({ sourceParcelId }) => sourceParcelId))
  }
})

test('after a load, search finds a parcel by its new owner, and not by a former one', async () => {
  const owners = new Map(last.parcels.map(({ sourceParcelId, ownerName }) => [sourceParcelId, ownerName]))
  const sold = listSold(last)
  expect(sold.length).toBeGreaterThan(5)
  console.info(`search had the ${sold.length} new owners ${searchedAfterMs} ms after the load`)
  for (const { id, former, current } of sold) {
    expect((await find(current)).map(({ source_parcel_id }) => source_parcel_id)).toContain(id)
    for (const hit of await find(former))
      expect(hit.owner_name).toBe(owners.get(hit.source_parcel_id) ?? 'a retired parcel')
  }
})

test('the tiles have exactly the parcels of the last list', async () => {
  const archive = join(dir, 'parcels.pmtiles')
  await buildTiles(
    { ...DEFAULT_TILE_OPTIONS, minZoom: 15, maxZoom: 15, properties: ['source_parcel_id'] },
    { databaseUrl: url, to: { file: archive }, workDir: join(dir, 'work'), threads: 1 },
  )
  const drawn = await (await readArchive(archive)).listParcels(15)
  expect([...new Set(drawn.map(({ properties }) => properties.source_parcel_id))].toSorted()).toEqual(
    last.parcels.map(({ sourceParcelId }) => sourceParcelId),
  )
})
