import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { connectDatabase } from '../../../core/postgres/database'
import { listChanges } from '../../../drizzle/queries/changes/list-changes'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { revokeKey } from '../../../drizzle/queries/people/api-keys'
import type { ParcelInput } from '../../../drizzle/records'
import { issueKey } from '../../../src/people/issue-key'
import { waitFor } from '../../support/servers'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const { app, sql, url, call, readKey, datasetVersion } = await createTestApp()
await insertCounty(sql)
await insertCounty(sql, 'oak')
// Over a real port, because waiting depends on the server's timeouts.
app.listen({ port: 0, hostname: '127.0.0.1' })
afterAll(() => app.stop(true))

const LOAD = '00000000-0000-7000-8000-000000000001'
const ingest = (source: string, ...rows: ParcelInput[]) =>
  upsertParcels(sql, source, rows, { cause: 'ingest', id: LOAD })

const square = (west: number, south: number): Pick<ParcelInput, 'geom' | 'bbox'> => ({
  geom: {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [west, south],
          [west + 1, south],
          [west + 1, south + 1],
          [west, south],
        ],
      ],
    ],
  },
  bbox: [west, south, west + 1, south + 1],
})

interface Change {
  version: number
  source_parcel_id: string
  action: string
  changes: Record<string, { former: unknown; new: unknown }>
}
interface Page {
  changes: Change[]
  next: number
  watermark: number
}

const read = async (query: string): Promise<Page> => {
  const { status, body } = await call(`/v1/changes?${query}`)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}
/** Every change that a query selects after `after`, over as many pages as it takes. */
const readAll = async (query: string, after: number): Promise<Change[]> => {
  const found: Change[] = []
  for (let place = after; ; ) {
    const { changes, next, watermark } = await read(`${query}&after=${place}`)
    found.push(...changes)
    if (next >= watermark) return found
    expect(next).toBeGreaterThan(place)
    place = next
  }
}
/** Over the network. */
const request = (query: string, init: { key?: string; signal?: AbortSignal } = {}) =>
  fetch(`http://127.0.0.1:${app.server?.port}/v1/changes?${query}`, {
    headers: { 'x-service-key': init.key ?? ADMIN_KEY },
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  })
const told = (changes: Change[]) => changes.map(({ source_parcel_id, action }) => `${source_parcel_id} ${action}`)
const here = () => datasetVersion.read()

describe('200', () => {
  test('a change has its fields with former and new values, its cause and the place of the values', async () => {
    const after = await here()
    await ingest('elm', { sourceParcelId: '1', ownerName: 'ADA ELM', origin: { line: 2 } })
    await ingest('elm', { sourceParcelId: '1', acreage: 2, origin: { line: 3 } })
    const { changes, next, watermark } = await read(`after=${after}`)
    expect(changes).toEqual([
      {
        version: after + 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        source: 'elm',
        source_parcel_id: '1',
        action: 'created',
        cause: 'ingest',
        cause_id: LOAD,
        changes: {},
        origin: { line: 2 },
      },
      expect.objectContaining({
        version: after + 2,
        action: 'changed',
        changes: { acreage: { former: null, new: 2 } },
        origin: { line: 3 },
      }),
    ])
    expect([next, watermark]).toEqual([after + 2, after + 2])
    expect(await read(`after=${next}`)).toEqual({ changes: [], next, watermark })
  })

  test('every key may read; a page ends at its limit', async () => {
    const key = await readKey()
    const { status, body } = await call('/v1/changes?limit=1', { key })
    expect(status).toBe(200)
    expect(body.changes).toHaveLength(1)
    expect(body.next).toBe(body.changes[0].version)
  })

  test('filters: source, fields, and both', async () => {
    const after = await here()
    await ingest('elm', { sourceParcelId: 'f1', ownerName: 'ADA' })
    await ingest('oak', { sourceParcelId: 'f2', ownerName: 'ADA' })
    await ingest('oak', { sourceParcelId: 'f2', acreage: 1 })
    await ingest('elm', { sourceParcelId: 'f1', acreage: 1 })
    await sql`update parcels set scrape_data = '{"parcel_number": "f2"}' where source_parcel_id = 'f2'`
    expect(told(await readAll('source=oak', after))).toEqual(['f2 created', 'f2 changed', 'f2 changed'])
    expect(told(await readAll('fields=acreage', after))).toEqual(['f2 changed', 'f1 changed'])
    expect(told(await readAll('fields=owner_name,acreage&source=elm', after))).toEqual(['f1 changed'])
    expect(await readAll('fields=scrape_data', after)).toHaveLength(1)
    expect(await readAll('fields=scrape_data.parcel_number', after)).toHaveLength(1)
    expect(await readAll('fields=scrape_data.owners', after)).toEqual([])
  })

  test('owner: changes of parcels that the owner had before or after the change', async () => {
    const after = await here()
    await ingest('elm', { sourceParcelId: 'o1', ownerName: 'Birch, L.L.C.' })
    await ingest('elm', { sourceParcelId: 'o1', acreage: 1 })
    await ingest('elm', { sourceParcelId: 'o2', ownerName: 'CY' })
    await ingest('elm', { sourceParcelId: 'o1', ownerName: 'CY' })
    await ingest('elm', { sourceParcelId: 'o1', acreage: 2 })
    await sql`update parcels set owner_name = null where source_parcel_id = 'o1'`
    await ingest('elm', { sourceParcelId: 'o1', acreage: 3 })
    const versions = async (owner: string) =>
      (await readAll(`owner=${encodeURIComponent(owner)}`, after)).map(({ version }) => version - after)
    expect(await versions('BIRCH LLC')).toEqual([1, 2, 4])
    expect(await versions('cy')).toEqual([3, 4, 5, 6])
    expect(await versions('nobody')).toEqual([])
  })

  test('owner: accents may be written in NFC or NFD, by the source and by the caller', async () => {
    const after = await here()
    await ingest('elm', { sourceParcelId: 'composed', ownerName: 'JOSÉ PEÑA'.normalize('NFC') })
    await ingest('elm', { sourceParcelId: 'decomposed', ownerName: 'JOSÉ PEÑA'.normalize('NFD') })
    await ingest('elm', { sourceParcelId: 'decomposed', ownerName: 'CY' })
    for (const form of ['NFC', 'NFD']) {
      const found = await readAll(`owner=${encodeURIComponent('josé peña'.normalize(form))}`, after)
      expect(told(found)).toEqual(['composed created', 'decomposed created', 'decomposed changed'])
    }
  })

  test('owner: the deletion of a parcel is a change of its last owner', async () => {
    const after = await here()
    await ingest(
      'elm',
      { sourceParcelId: 'gone', ownerName: 'Former Co.' },
      { sourceParcelId: 'stays', ownerName: 'CY' },
    )
    await sql`delete from parcels where source_parcel_id = 'gone'`
    expect(told(await readAll('owner=former%20co', after))).toEqual(['gone created', 'gone deleted'])
  })

  test('owner: the changes of an owner are found even if they have more parcels than are looked up', async () => {
    const after = await here()
    const ids = Array.from({ length: 1_001 }, (_, index) => `many-${index}`)
    await ingest('elm', ...ids.map((sourceParcelId) => ({ sourceParcelId, ownerName: 'MANY LOTS' })))
    await ingest('elm', { sourceParcelId: 'many-7', acreage: 1 })
    await ingest('elm', { sourceParcelId: 'many-7', ownerName: 'CY' })
    await ingest('elm', { sourceParcelId: 'many-7', acreage: 2 })
    const versions = (await readAll('owner=many%20lots&limit=1000', after)).map(({ version }) => version - after)
    expect(versions).toEqual(Array.from({ length: 1_003 }, (_, index) => index + 1))
  })

  test('bbox: changes of parcels whose box met it before or after the change', async () => {
    const after = await here()
    await ingest('elm', { sourceParcelId: 'b1', ...square(10, 10) })
    await ingest('elm', { sourceParcelId: 'b1', acreage: 1 })
    await ingest('elm', { sourceParcelId: 'b2', ...square(170, 10) })
    await ingest('elm', { sourceParcelId: 'b1', ...square(30, 10) })
    await ingest('elm', { sourceParcelId: 'b1', acreage: 2 })
    const versions = async (bbox: string) =>
      (await readAll(`bbox=${bbox}`, after)).map(({ version }) => version - after)
    expect(await versions('9,9,12,12')).toEqual([1, 2, 4])
    expect(await versions('30.5,10.5,31,11')).toEqual([4, 5])
    expect(await versions('169,9,-170,12')).toEqual([3])
  })

  test('bbox: a change is found where the point was at that time, also if it moved later or a boundary replaced it', async () => {
    const after = await here()
    await ingest('elm', { sourceParcelId: 'p1', lon: 40.5, lat: 40.5 })
    await ingest('elm', { sourceParcelId: 'p1', acreage: 1 })
    await ingest('elm', { sourceParcelId: 'p1', lon: 45.5, lat: 40.5 })
    await ingest('elm', { sourceParcelId: 'p1', acreage: 2 })
    await ingest('elm', { sourceParcelId: 'p1', ...square(48, 40) })
    await ingest('elm', { sourceParcelId: 'p1', acreage: 3 })
    // The point is not the place of a parcel whose boundary is known.
    await ingest('elm', { sourceParcelId: 'p1', lon: 46.5, lat: 40.5 })
    const versions = async (bbox: string) =>
      (await readAll(`bbox=${bbox}`, after)).map(({ version }) => version - after)
    expect(await versions('40,40,41,41')).toEqual([1, 2, 3])
    expect(await versions('45,40,46,41')).toEqual([3, 4, 5])
    expect(await versions('48,40,49,41')).toEqual([5, 6, 7])
    expect(await versions('46.2,40,47,41')).toEqual([])
    await sql`delete from parcels where source_parcel_id = 'p1'`
    expect(await versions('45,40,46,41')).toEqual([3, 4, 5])
    expect(await versions('48,40,49,41')).toEqual([5, 6, 7, 8])
  })

  test('since: all changes from that time on, and no page reads backward', async () => {
    await ingest('elm', { sourceParcelId: 't1' })
    await sql`select pg_sleep(0.01)`
    const [row] = await sql<{ now: string }[]>`select iso_utc(clock_timestamp()) as now`
    const since = row?.now ?? ''
    await sql`select pg_sleep(0.01)`
    await ingest('elm', { sourceParcelId: 't2' })
    expect(told((await read(`since=${since}`)).changes)).toEqual(['t2 created'])
    expect((await read('since=2020-01-01&limit=1000')).changes.length).toBeGreaterThan(10)
    const watermark = await here()
    expect(await read('since=2999-01-01')).toEqual({ changes: [], next: watermark, watermark })
  })

  test('a filter that leaves nothing still advances, over many more changes than a page reads', async () => {
    const after = await here()
    await sql`insert into parcels (source, source_parcel_id) select 'oak', 'many' || n from generate_series(1, 10500) n`
    await ingest('elm', { sourceParcelId: 'last', ...square(60, 10) })
    const first = await read(`after=${after}&bbox=59,9,62,12`)
    expect(first).toMatchObject({ changes: [], next: after + 10_000, watermark: after + 10_501 })
    expect(told(await readAll('bbox=59,9,62,12', after))).toEqual(['last created'])
  })

  test('owner: an index finds the changes, however long the log is', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `long-${index}`)
    for (const acreage of [1, 2, 3]) {
      await ingest(
        'elm',
        ...ids.map((sourceParcelId) => ({ sourceParcelId, ownerName: `OWNER ${sourceParcelId}`, acreage })),
      )
    }
    await sql`analyze parcel_changes`
    const place = { after: 0, upTo: await here(), limit: 1_000 }
    const filter = { source: null, fields: null, owner: 'OWNER long-7', boxes: null }
    await sql.begin(async (tx) => {
      // The session may still count what it read in earlier transactions.
      const countRead = async () => {
        const [read] = await tx<{ rows: number }[]>`
          select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname like 'parcel_changes%'`
        return read?.rows ?? 0
      }
      const before = await countRead()
      expect((await listChanges(tx, place, filter)).count).toBe(3)
      expect((await countRead()) - before).toBeLessThan(50)
    })
  })

  test('wait: answers as soon as a change passes the filter, and with an empty page when the time is up', async () => {
    const after = await here()
    const follow = async (place: number, wait: number) =>
      (await (await request(`after=${place}&source=elm&wait=${wait}`)).json()) as Page
    const waiting = follow(after, 30)
    await ingest('oak', { sourceParcelId: 'w1' })
    await ingest('elm', { sourceParcelId: 'w2' })
    const page = await waiting
    expect(told(page.changes)).toEqual(['w2 created'])
    const empty = await follow(page.next, 1)
    expect(empty).toEqual({ changes: [], next: page.next, watermark: page.watermark })
  })
})

test('400: a version that there has never been, as after a restore of an older backup', async () => {
  const after = await here()
  // A writer that has not committed holds the watermark back, so a version above it can be known already.
  const open = await sql.reserve()
  await open`begin`
  await open`select hold_parcel_watermark()`
  await ingest('elm', { sourceParcelId: 'restored', ownerName: 'ADA ELM' })
  expect(await read(`after=${after + 1}`)).toEqual({ changes: [], next: after + 1, watermark: after })
  await open`rollback`
  open.release()
  const { status, body } = await call(`/v1/changes?after=${after + 2}&wait=30`)
  expect([status, body.error]).toEqual([400, expect.stringContaining(`after must be at most ${after + 1}, the newest`)])
})

test('400: fields that do not exist, times that do not exist, after together with since', async () => {
  for (const [query, error] of [
    ['fields=owner_name,nope', 'fields must be a comma-separated subset of lon, lat, acreage'],
    ['since=2026-02-30', 'since must be a date (UTC) or a time with its offset'],
    ['owner=...', 'owner must have a letter or digit'],
    ['since=yesterday', 'since must be a date (UTC) or a time with its offset'],
    ['since=2026-01-01&after=1', 'after and since must not be given together'],
    ['wait=31', 'wait must be a whole number from 0 to 30'],
    ['limit=1001', 'limit must be a whole number from 1 to 1000'],
  ]) {
    const { status, body } = await call(`/v1/changes?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringContaining(error ?? '')])
  }
})

test('401: a key that is revoked while its request waits gets no later change', async () => {
  const after = await here()
  const { id, key } = await issueKey(sql, { name: 'waits', capabilities: [] })
  const waits = spyOn(datasetVersion, 'waitBeyond')
  const response = request(`after=${after}&wait=30`, { key })
  await waitFor(async () => waits.mock.calls.length > 0)
  waits.mockRestore()
  await revokeKey(sql, id)
  await ingest('elm', { sourceParcelId: 'after the revocation', ...square(60, 60) })
  expect((await response).status).toBe(401)
})

test('429: a caller with ten waiting requests; a request that does not wait is answered', async () => {
  const after = await here()
  const key = await readKey()
  const waiting = new AbortController()
  // The check below may take a place first, so a refused request is sent again.
  const hold = async () => {
    while (!waiting.signal.aborted) {
      await request(`after=${after}&wait=30`, { key, signal: waiting.signal }).catch(() => {})
    }
  }
  const held = Array.from({ length: 10 }, hold)
  await waitFor(async () => (await call(`/v1/changes?after=${after}&wait=1`, { key })).status === 429)
  expect((await call(`/v1/changes?after=${after}`, { key })).status).toBe(200)
  waiting.abort()
  await Promise.all(held)
  await waitFor(async () => (await call(`/v1/changes?after=${after}&wait=1`, { key })).status === 200)
})

test('every response with parcels names a dataset version that it includes', async () => {
  await ingest('elm', { sourceParcelId: 'v', ...square(50, 50) })
  const version = await here()
  for (const path of [
    '/v1/parcels/elm/v',
    '/v1/parcels?bbox=50,50,51,51',
    '/v1/changes?limit=1',
    '/v1/parcels/elm/none',
  ]) {
    expect(Number((await call(path)).headers.get('x-dataset-version'))).toBeGreaterThanOrEqual(version)
  }
  expect((await call('/v1/sources')).headers.get('x-dataset-version')).toBeNull()
})

test('a reader that pages over HTTP while eight writers commit and roll back misses no change and sees none twice', async () => {
  const [WRITERS, ROUNDS] = [8, 25]
  const start = await here()
  let writing = WRITERS
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    const own = connectDatabase(url, { max: 1 })
    for (let round = 0; round < ROUNDS; round++) {
      const aborts = Math.random() < 0.2
      await own
        .begin(async (tx) => {
          await upsertParcels(tx, 'elm', [{ sourceParcelId: `w${writer}`, assessedValue: round }])
          // Transactions do not commit in the order of their versions.
          await Bun.sleep(Math.random() * 8)
          await upsertParcels(tx, 'elm', [{ sourceParcelId: `v${writer}`, assessedValue: round }])
          if (aborts) throw new Error('rolled back')
        })
        .catch((error: Error) => {
          if (error.message !== 'rolled back') throw error
        })
    }
    await own.end()
    writing--
  })
  const seen: number[] = []
  let place = start
  const readPage = async (wait: number): Promise<Page> => {
    const response = await request(`after=${place}&limit=7&wait=${wait}`)
    const page = (await response.json()) as Page
    seen.push(...page.changes.map(({ version }) => version))
    place = page.next
    return page
  }
  while (writing > 0) await readPage(1)
  await Promise.all(writers)
  for (let page = await readPage(0); page.next < page.watermark; page = await readPage(0));
  const all = await sql<{ version: number }[]>`
    select version::float8 as version from parcel_changes where version > ${start} order by version`
  expect(all.length).toBeGreaterThan(WRITERS * ROUNDS)
  expect(seen).toEqual(all.map(({ version }) => version))
})
