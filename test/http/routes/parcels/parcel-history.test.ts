import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { MultiPolygon } from 'geojson'
import type { Bbox } from '../../../../core/geometry/bbox'
import { parcelFields, RECORD_FIELDS } from '../../../../core/parcels/fields'
import { setCause } from '../../../../drizzle/queries/changes/set-cause'
import { undoBatch } from '../../../../drizzle/queries/loads/undo-changes'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../../../drizzle/records'
import { undoCause } from '../../../../src/orders/order-on-load'
import { storeScrape } from '../../../../src/scrape/store/store-scrape'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call, readKey } = await createTestApp()
await insertCounty(sql)

const LOAD = '00000000-0000-7000-8000-000000000001'
const ingest = (...rows: ParcelInput[]) => upsertParcels(sql, 'elm', rows, { cause: 'ingest', id: LOAD })

const square = (west: number, south: number): { geom: MultiPolygon; bbox: Bbox } => ({
  geom: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [west, south],
          [west + 1, south],
          [west + 1, south + 1],
          [west, south + 1],
          [west, south],
        ],
      ],
    ],
  },
  bbox: [west, south, west + 1, south + 1],
})

/** A moment between two writes, as ISO 8601: times in the log have milliseconds. */
const between = async (): Promise<string> => {
  await sql`select pg_sleep(0.002)`
  const [row] = await sql<{ now: string }[]>`select iso_utc(clock_timestamp()) as now`
  await sql`select pg_sleep(0.002)`
  return row?.now ?? ''
}

describe('history', () => {
  test('200: newest first, page by page, with former and new values', async () => {
    for (const acreage of [1, 2, 3]) await ingest({ sourceParcelId: 'h', acreage, origin: { line: acreage } })
    const { body } = await call('/v1/parcels/elm/h/history?limit=2', { key: await readKey() })
    expect(body).toMatchObject({
      count: 2,
      changes: [
        {
          action: 'changed',
          cause: 'ingest',
          cause_id: LOAD,
          changes: { acreage: { former: 2, new: 3 } },
          origin: { line: 3 },
        },
        { action: 'changed', changes: { acreage: { former: 1, new: 2 } } },
      ],
      next: body.changes[1].version,
    })
    expect((await call(`/v1/parcels/elm/h/history?limit=2&after=${body.next}`)).body).toMatchObject({
      count: 1,
      changes: [{ action: 'created', changes: {}, origin: { line: 1 } }],
      next: null,
    })
  })

  test('a boundary that replaces a point does not change the point: not in the history, the feed, the provenance or an undo', async () => {
    const [point, other, boundary] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000010${n}`)
    const write = (row: Omit<ParcelInput, 'sourceParcelId'>, id: string | undefined) =>
      upsertParcels(sql, 'elm', [{ sourceParcelId: 'dot', ...row }], { cause: 'ingest', id: id ?? null })
    await write({ lon: -121.5, lat: 44.5 }, point)
    await write({ lon: -121.25, lat: 44.5 }, other)
    await write(square(-122, 44), boundary)
    const { changes } = (await call('/v1/parcels/elm/dot/history')).body
    expect(changes.map((change: { changes: object }) => Object.keys(change.changes))).toEqual([['geom'], ['lon'], []])
    const { body: feed } = await call(`/v1/changes?fields=lat,lon&after=${changes[2].version}`)
    expect(feed.changes.map(({ version }: { version: number }) => version)).toEqual([changes[1].version])
    const { fields } = (await call('/v1/parcels/elm/dot/provenance')).body
    const causeOf = (name: string) => fields.find(({ field }: { field: string }) => field === name).cause_id
    expect([causeOf('lat'), causeOf('lon'), causeOf('geom_geojson')]).toEqual([point, other, boundary])
    const undone = await sql.begin((tx) =>
      undoBatch(tx, { causeId: other ?? '', undoId: '00000000-0000-7000-8000-000000000104', after: 0 }),
    )
    expect(undone).toMatchObject({ restored: 1, kept: [] })
    expect((await call('/v1/parcels/elm/dot')).body).toMatchObject({ lon: -121.5, lat: 44.5 })
  })

  test('an undo restores both coordinates of a point or neither, also if an earlier undo restored one of them', async () => {
    const [first, second, third] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000020${n}`)
    const write = (row: Omit<ParcelInput, 'sourceParcelId'>, id: string | undefined) =>
      upsertParcels(sql, 'elm', [{ sourceParcelId: 'spot', ...row }], { cause: 'ingest', id: id ?? null })
    // Later undos read from the work of this one what was undone.
    const undo = (causeId = '') =>
      sql.begin(async (tx) => {
        const undoId = await undoCause(tx, causeId, 'olga')
        const undone = await undoBatch(tx, { causeId, undoId, after: 0 })
        await tx`update work set status = 'done', finished_at = clock_timestamp() where id = ${undoId}`
        return undone
      })
    await write({ acreage: 1 }, undefined)
    await write({ lon: -121.5, lat: 44.5 }, first)
    await write({ lon: -121.5, lat: 44.25 }, second)
    await write({ lon: -121.25, lat: 44.25 }, third)
    await undo(third)
    expect(await undo(first)).toMatchObject({
      restored: 0,
      kept: [{ source_parcel_id: 'spot', fields: ['lat', 'lon'] }],
    })
    expect((await call('/v1/parcels/elm/spot')).body).toMatchObject({ lon: -121.5, lat: 44.25 })
    // The point before the second load is that of the first one, which was undone, too.
    await undo(second)
    expect((await call('/v1/parcels/elm/spot')).body).toMatchObject({ lon: null, lat: null })
  })

  test('404: an unknown parcel; a parcel may have the id `history`', async () => {
    expect(await call('/v1/parcels/elm/none/history')).toMatchObject({ status: 404, body: { error: 'not found' } })
    await ingest({ sourceParcelId: 'history', acreage: 1 })
    expect((await call('/v1/parcels/elm/history')).body).toMatchObject({ acreage: 1 })
  })
})

describe('as_of', () => {
  test('a parcel that was not known then is 404 and says when it was; an unknown one is not found', async () => {
    const before = await between()
    await ingest({ sourceParcelId: 'late' })
    const { status, body } = await call(`/v1/parcels/elm/late?as_of=${before}`)
    expect(status).toBe(404)
    const { changes } = (await call('/v1/parcels/elm/late/history')).body
    expect(body.error).toBe(`not known at ${before}: first known at ${changes[0].at}`)
    expect(await call(`/v1/parcels/elm/none?as_of=${before}`)).toMatchObject({
      status: 404,
      body: { error: 'not found' },
    })
    expect((await call('/v1/parcels/elm/late?as_of=2020-01-01')).status).toBe(404)
    expect((await call('/v1/parcels/elm/late?as_of=2999-01-01')).status).toBe(200)
  })

  test('at the very time of a change, the parcel has the new values', async () => {
    for (const acreage of [1, 2, 3]) {
      await ingest({ sourceParcelId: 'exact', acreage })
      await between()
    }
    const { changes } = (await call('/v1/parcels/elm/exact/history')).body
    const acreages: number[] = []
    for (const { at } of changes) acreages.push((await call(`/v1/parcels/elm/exact?as_of=${at}`)).body.acreage)
    expect(acreages).toEqual([3, 2, 1])
  })

  test('400: a time that does not exist, or has no offset', async () => {
    for (const time of ['2026-13-01', '2026-02-30', '2026-01-01T10:00:00', 'now', '']) {
      const { status, body } = await call(`/v1/parcels/elm/h?as_of=${time}`)
      expect([time, status, body.error]).toEqual([
        time,
        400,
        expect.stringContaining('as_of must be a date (UTC) or a time'),
      ])
    }
  })

  test('scrape data is from the last scrape before that time, and absent before the first one', async () => {
    const scrape = (ownerName: string, more: object) =>
      storeScrape(sql, {
        ...{ job: null, source: 'elm', sourceParcelId: 's', vendor: 'arcgis-rest' },
        scraped: {
          fields: { ownerName },
          scrape: { parcel_number: 's', fetched_at: '2026-01-02T03:04:05.678Z', ...more },
        },
        review: () => [],
      })
    await ingest({ sourceParcelId: 's', ownerName: 'ADA' })
    const moments = [await between()]
    await scrape('BO', { data_as_of: '2025', exemptions: [] })
    moments.push(await between())
    await scrape('BO', { data_as_of: '2026', owners: [{ name: 'BO' }] })
    moments.push(await between())
    const bodies = await Promise.all(moments.map(async (at) => (await call(`/v1/parcels/elm/s?as_of=${at}`)).body))
    expect(bodies[0]).toMatchObject({
      owner_name: 'ADA',
      scrape_data: {},
      scraped_at: null,
      scraped_by: null,
      scrape_data_as_of: null,
    })
    expect(bodies[1]).toMatchObject({ owner_name: 'BO', scraped_by: 'arcgis-rest', scrape_data_as_of: '2025' })
    expect(bodies[1].scrape_data).toEqual({
      parcel_number: 's',
      data_as_of: '2025',
      exemptions: [],
      fetched_at: bodies[1].scraped_at,
    })
    expect(bodies[1].scraped_at < (moments[1] ?? '')).toBe(true)
    expect(bodies[2]).toEqual((await call('/v1/parcels/elm/s')).body)
  })

  test('a box has the parcels that were in it then, including those that moved or were retired later', async () => {
    await ingest({ sourceParcelId: 'moves', ownerName: 'ADA', ...square(100, 10) })
    await ingest({ sourceParcelId: 'retires', ...square(100, 10) })
    const before = await between()
    await ingest({ sourceParcelId: 'moves', ownerName: 'BO', ...square(120, 10) })
    await sql`update parcels set retired_at = now() where source_parcel_id = 'retires'`
    await ingest({ sourceParcelId: 'new', ...square(100, 10) })
    const after = await between()
    const listed = async (bbox: string, asOf: string) =>
      (await call(`/v1/parcels?bbox=${bbox}&as_of=${asOf}`)).body.parcels.map(
        ({ source_parcel_id, owner_name }: { source_parcel_id: string; owner_name: string | null }) =>
          `${source_parcel_id} ${owner_name}`,
      )
    expect(await listed('99,9,102,12', before)).toEqual(['moves ADA', 'retires null'])
    expect(await listed('119,9,122,12', before)).toEqual([])
    expect(await listed('99,9,102,12', after)).toEqual(['new null'])
    expect(await listed('119,9,122,12', after)).toEqual(['moves BO'])
    // At the edge of the box, the boundary decides.
    expect(await listed('100.2,10.2,100.4,10.4', before)).toEqual(['moves ADA', 'retires null'])
    const first = (await call(`/v1/parcels?bbox=99,9,102,12&as_of=${before}&limit=1`)).body
    expect(first.parcels).toHaveLength(1)
    expect((await call(`/v1/parcels?bbox=99,9,102,12&as_of=${before}&limit=1&after=${first.next}`)).body).toMatchObject(
      {
        parcels: [{ source_parcel_id: 'retires' }],
        next: null,
      },
    )
  })

  test('after any sequence of writes, every field and the boundary as of each moment are right', async () => {
    type State = Record<string, unknown> & { geom_geojson: MultiPolygon | null; retired: boolean }
    const values = {
      text: fc.constantFrom('A', 'B', 'C & D'),
      list: fc.constantFrom(['A'], ['A', 'B']),
      area: fc.constantFrom(0.25, 1, 17.123456789),
      degrees: fc.constantFrom(-55.5, -45.25, -35),
      money: fc.constantFrom(0, 5, 350_000),
      boolean: fc.boolean(),
    }
    const inputs = fc
      .record(Object.fromEntries(parcelFields.map(({ key, type }) => [key, values[type] as fc.Arbitrary<unknown>])), {
        requiredKeys: [],
      })
      // A point has both coordinates or neither.
      .map(({ lon, lat, ...input }) => (lon === undefined || lat === undefined ? input : { ...input, lon, lat }))
    const place = fc.tuple(fc.integer({ min: -60, max: -40 }), fc.integer({ min: -60, max: -40 }))
    const steps = fc.oneof(
      { weight: 4, arbitrary: inputs.map((input) => ({ kind: 'upsert' as const, input })) },
      {
        weight: 2,
        arbitrary: fc
          .subarray([...RECORD_FIELDS], { minLength: 1 })
          .map((names) => ({ kind: 'clear' as const, names })),
      },
      { weight: 2, arbitrary: place.map(([west, south]) => ({ kind: 'move' as const, west, south })) },
      { weight: 1, arbitrary: fc.constant({ kind: 'lose-boundary' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'retire' as const }) },
      { weight: 1, arbitrary: fc.constant({ kind: 'return' as const }) },
    )
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 10 }), async (sequence) => {
        const id = `m${runs++}`
        await ingest({ sourceParcelId: id })
        let state: State = {
          ...Object.fromEntries(parcelFields.map(({ name, type }) => [name, type === 'list' ? [] : null])),
          geom_geojson: null,
          retired: false,
        }
        const moments = [{ at: await between(), state }]
        for (const step of sequence) {
          state = { ...state }
          if (step.kind === 'upsert') {
            await ingest({ sourceParcelId: id, ...step.input } as ParcelInput)
            // Its source lists it again.
            state.retired = false
            const given: Record<string, unknown> = step.input
            for (const { name, key } of parcelFields) if (given[key] !== undefined) state[name] = given[key]
            if (given.ownerName !== undefined && given.ownerNamesAll === undefined)
              state.owner_names_all = [given.ownerName]
          } else if (step.kind === 'clear') {
            await sql.begin(async (tx) => {
              await setCause(tx, 'undo')
              const isPoint = step.names.some((name) => name === 'lon' || name === 'lat')
              if (isPoint) {
                await tx`update parcels set lon = null, lat = null where source_parcel_id = ${id}`
                Object.assign(state, { lon: null, lat: null })
              }
              for (const name of step.names) {
                if (name === 'lon' || name === 'lat') continue
                const isList = name === 'owner_names_all'
                await tx`update parcels set ${tx(name)} = ${isList ? tx`'{}'` : tx`null`} where source_parcel_id = ${id}`
                state[name] = isList ? [] : null
              }
            })
          } else if (step.kind === 'move') {
            const { geom, bbox } = square(step.west, step.south)
            await ingest({ sourceParcelId: id, geom, bbox })
            state.geom_geojson = geom
            state.retired = false
          } else if (step.kind === 'lose-boundary') {
            await sql`update parcels set geom = null, bbox = null where source_parcel_id = ${id}`
            state.geom_geojson = null
          } else {
            state.retired = step.kind === 'retire'
            await sql`update parcels set retired_at = ${state.retired ? sql`now()` : null} where source_parcel_id = ${id}`
          }
          moments.push({ at: await between(), state })
        }
        for (const { at, state } of moments) {
          const { body } = await call(`/v1/parcels/elm/${id}?as_of=${at}`)
          for (const name of [...RECORD_FIELDS, 'geom_geojson']) {
            expect({ at, name, value: body[name] }).toEqual({ at, name, value: state[name] })
          }
          if ('retired_at' in body) expect(body.retired_at !== null).toBe(state.retired)
          const point = state.lon === null ? null : ([state.lon, state.lat] as [number, number])
          const [west, south] = state.geom_geojson?.coordinates[0]?.[0]?.[0] ?? point ?? [-70, -70]
          const { parcels } = (
            await call(
              `/v1/parcels?bbox=${west},${south},${(west ?? 0) + 1},${(south ?? 0) + 1}&limit=5000&as_of=${at}`,
            )
          ).body
          const row = parcels.find((one: { source_parcel_id: string }) => one.source_parcel_id === id)
          if (state.retired || (state.geom_geojson === null && point === null)) expect(row).toBeUndefined()
          else expect(row).toMatchObject({ owner_name: state.owner_name, assessed_value: state.assessed_value })
        }
      }),
      { numRuns: 25 },
    )
  })
})
