import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { LIST_BOUNDS } from '../../../core/bounds'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { readMatchParcels } from '../../../drizzle/queries/matches/match-parcels'
import { deleteExpiredMatches } from '../../../drizzle/queries/matches/matches'
import { deleteExpiredUploads } from '../../../drizzle/queries/matches/uploads'
import { createListMatcher } from '../../../search/match/match-list'
import { addUpload } from '../../../src/matches/add-upload'
import { countLines } from '../../../src/matches/list-lines'
import { issueKey } from '../../../src/people/issue-key'
import { createMatchRunner } from '../../../src/work/match-runner'
import { createWorkLoop } from '../../../src/work/work-loop'
import { drawLists } from '../../bench/matches/draw-lists'
import { sampleCounty } from '../../bench/relevance/counties'
import { readRoll } from '../../bench/relevance/roll'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { startProcessorClock } from '../../support/processor-clock'
import { waitFor } from '../../support/servers'
import { ADMIN_KEY, createTestApp } from '../test-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { app, sql, url, call, readKey } = await createTestApp()
await seedSampleCounty(sql, { parcels: 1_000, entities: 0 })
const log = pino({ level: 'silent' })
const loop = createWorkLoop({ sql, log, runners: [createMatchRunner({ databaseUrl: url })], pollMs: 20 })
beforeAll(() => loop.start())
afterAll(() => loop.stop())

interface Parcel {
  source_parcel_id: string
  situs_address: string
  situs_city: string
  situs_zip: string
  owner_name: string
  lon: number
  lat: number
}
/** Parcels whose address no other parcel has. */
const parcels = await sql<Parcel[]>`
  select source_parcel_id, situs_address, situs_city, situs_zip, owner_name, (center(bbox))[0] as lon, (center(bbox))[1] as lat
  from parcels p where situs_address ~ '^[0-9]+ [A-Z]+ [A-Z0-9]+ [A-Z]+$' and owner_name is not null and bbox is not null
    and not exists (select from parcels o where o.id <> p.id and starts_with(o.situs_address, p.situs_address))
  order by source_parcel_id limit 20`
const [first, second, third] = parcels as unknown as [Parcel, Parcel, Parcel]

const key = await readKey()
const send = async (path: string, body: string, type = 'text/csv', headers: Record<string, string> = {}) => {
  const request = new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'x-service-key': key, 'content-type': type, ...headers },
    body,
  })
  const response = await app.handle(request)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Awaited<ReturnType<typeof call>>['body'],
  }
}
const sendBytes = async (path: string, body: Uint8Array<ArrayBuffer>) => {
  const headers = { 'x-service-key': key, 'content-type': 'text/csv' }
  const response = await app.handle(new Request(`http://localhost${path}`, { method: 'POST', headers, body }))
  return { status: response.status, body: await response.json() }
}
const get = (path: string) => call(path, { key })
const post = (path: string, body?: unknown) => call(path, { method: 'POST', key, body })
const csv = (header: string, ...rows: string[]) => `${[header, ...rows].join('\n')}\n`
/** Matches a list and waits for it. */
const match = async (list: string, type?: string) => {
  const answer = await send('/v1/matches?wait=20', list, type)
  expect(answer).toMatchObject({ status: 200, body: { status: 'done' } })
  return answer.body
}

test.each(['source=elm', 'state=OR', 'county=Elm', 'columns=x', 'upload=x'])(
  '400: %s in the URL, which would not limit the match of a list',
  async (query) => {
    const name = query.split('=')[0]
    expect(await send(`/v1/matches?wait=1&${query}`, csv('owner', 'Ada'))).toMatchObject({
      status: 400,
      body: {
        error: `${name} must be in a JSON body: send the list to POST /v1/uploads first, and its id here as upload`,
      },
    })
  },
)

describe('POST /v1/matches?wait', async () => {
  // No worker matches its lists.
  const idle = await createTestApp()

  test('429: one caller has at most 10 waiting matches, and a client that is gone does not wait', async () => {
    const gone = new AbortController()
    const add = (query: string, signal?: AbortSignal) =>
      idle.app.handle(
        new Request(`http://localhost/v1/matches${query}`, {
          method: 'POST',
          headers: { 'x-service-key': ADMIN_KEY, 'content-type': 'text/csv' },
          body: csv('owner', 'Ada'),
          ...(signal && { signal }),
        }),
      )
    const waiting = Array.from({ length: 10 }, () => add('?wait=20', gone.signal))
    await waitFor(async () => (await idle.sql`select from matches`).length === 10)
    expect((await add('?wait=20')).status).toBe(429)
    expect((await add('')).status).toBe(202)
    expect(await idle.sql`select from matches`).toHaveLength(11)
    const leftAt = performance.now()
    gone.abort()
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(10).fill(202))
    expect(performance.now() - leftAt).toBeLessThan(10_000)
    expect((await add('?wait=1')).status).toBe(202)
  })
})

describe('POST /v1/matches', () => {
  test('200: a short list is answered directly, each row with its parcel, its score and the field that decided', async () => {
    const list = csv(
      'Owner Name,Property Address,City,Zip,APN',
      `,${first.situs_address.toLowerCase()},${first.situs_city},${first.situs_zip},`,
      `,,,,${second.source_parcel_id.replaceAll('-', '')}`,
      ',1 Nowhere Blvd,,,',
      ',,,,',
    )
    const { results, counts, rows } = await match(list)
    expect({ counts, rows }).toEqual({ rows: 4, counts: { matched: 2, tie: 0, no_match: 1, invalid: 1 } })
    expect(results).toMatchObject([
      {
        ...{ row: 2, outcome: 'matched', decided_by: 'address', score: 1, count: 1, reason: null },
        parcels: [{ source: 'sample-county', source_parcel_id: first.source_parcel_id, owner_name: first.owner_name }],
      },
      { row: 3, outcome: 'matched', decided_by: 'parcel_id', parcels: [{ source_parcel_id: second.source_parcel_id }] },
      {
        row: 4,
        outcome: 'no_match',
        reason: 'no_such_street',
        parcels: [],
        input: { 'Property Address': '1 Nowhere Blvd' },
      },
      { row: 5, outcome: 'invalid', reason: 'nothing_to_match' },
    ])
  })

  test('200: NDJSON with points, even with longitude and latitude swapped', async () => {
    const list = [
      { lon: first.lon, lat: first.lat },
      { lon: second.lat, lat: second.lon },
      { lon: 0, lat: 0 },
      { lon: 'east', lat: 1 },
    ]
    const { results } = await match(list.map((row) => JSON.stringify(row)).join('\n'), 'application/x-ndjson')
    expect(results).toMatchObject([
      { outcome: 'matched', decided_by: 'point', parcels: [{ source_parcel_id: first.source_parcel_id }] },
      { outcome: 'matched', decided_by: 'point', parcels: [{ source_parcel_id: second.source_parcel_id }] },
      { outcome: 'no_match', reason: 'no_parcel_at_point' },
      { outcome: 'invalid', reason: 'not_a_point' },
    ])
  })

  test('200: parcels of one owner are a tie that lists all candidates; an address in the same row decides it', async () => {
    const [owner] = await sql<{ owner_name: string; count: number; address: string }[]>`
      select owner_name, count(*)::int as count, min(situs_address) filter (where situs_address ~ '^[0-9]') as address from parcels
      where owner_name is not null group by owner_name having count(*) between 2 and 10 and count(distinct situs_address) = count(*)
      order by owner_name limit 1`
    if (owner === undefined) throw new Error('no owner has several parcels')
    const { results } = await match(
      csv('owner\taddress', `${owner.owner_name}\t`, `${owner.owner_name}\t${owner.address}`),
    )
    expect(results[0]).toMatchObject({
      outcome: 'tie',
      reason: 'several_parcels',
      decided_by: 'owner',
      count: owner.count,
    })
    expect(results[0].parcels).toHaveLength(owner.count)
    expect(results[1]).toMatchObject({ outcome: 'matched', parcels: [{ situs_address: owner.address }] })
  })

  test('202: an upload is matched with the columns that the caller names, and the same upload has the same id', async () => {
    const list = csv('a,b', `${first.situs_address},${first.situs_zip}`)
    const uploaded = await send('/v1/uploads', list)
    expect(uploaded).toMatchObject({
      status: 201,
      body: {
        format: 'csv',
        lines: 2,
        columns: [{ name: 'a', field: null, samples: [first.situs_address] }, { name: 'b' }],
      },
    })
    expect((await send('/v1/uploads', list)).body.id).toBe(uploaded.body.id)
    const ordered = await post('/v1/matches', {
      upload: uploaded.body.id,
      columns: { a: 'address', b: 'zip' },
      state: 'or',
    })
    expect(ordered).toMatchObject({ status: 202, body: { state: 'OR', columns: { a: 'address', b: 'zip' } } })
    const again = await post('/v1/matches?wait=20', {
      upload: uploaded.body.id,
      columns: { a: 'address' },
      state: 'WA',
    })
    expect(again.body.counts).toEqual({ matched: 0, tie: 0, no_match: 1, invalid: 0 })
    expect(await post('/v1/matches', { upload: '019b76da-8c00-7000-8000-000000000001' })).toMatchObject({ status: 404 })
  })

  test("200: values in each other's columns and typos do not matter", async () => {
    const [number, ...words] = third.situs_address.split(' ')
    const { results } = await match(
      csv(
        'owner,address,city,zip',
        `${third.situs_address},${third.owner_name},${third.situs_zip},${third.situs_city}`,
      ),
    )
    expect(results).toMatchObject([{ outcome: 'matched', parcels: [{ source_parcel_id: third.source_parcel_id }] }])
    expect(number && words.length).toBeGreaterThan(0)
  })

  test.each<[string, string]>([
    ['a byte order mark and CRLF', `\ufeffaddress,city\r\n${first.situs_address},${first.situs_city}\r\n`],
    ['quoted line ends', `address,note\n"${first.situs_address}","two\nlines"\n`],
    ['semicolons and blank lines', `address;city\n\n${first.situs_address};${first.situs_city}\n\n`],
    ['tabs, and spaces around the header', ` address \tcity\n${first.situs_address}\t${first.situs_city}`],
  ])('200: a list with %s', async (_, list) => {
    const { results } = await match(list)
    const [row] = results as { outcome: string; explanation: string }[]
    expect([row?.outcome, row?.explanation]).toEqual(['matched', null as never])
  })

  test('200: UTF-16 and Windows-1252 are read as text', async () => {
    const text = `address,note\n${first.situs_address},Pe\u00f1a\n`
    const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from(text, 'utf16le')])
    for (const body of [utf16, Uint8Array.from(Buffer.from(text, 'latin1'))]) {
      const answer = await sendBytes('/v1/matches?wait=20', body)
      expect(answer).toMatchObject({
        status: 200,
        body: { results: [{ outcome: 'matched', input: { note: 'Pe\u00f1a' } }] },
      })
    }
  })

  test('a column can have the name of a member that every object has', async () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const rows = [`{"${name}":"Ada"}`, '{"address":"1 Nowhere Blvd"}'].join('\n')
      const { status, body } = await send('/v1/uploads', rows, 'application/x-ndjson')
      expect({ status, columns: body.columns }).toEqual({
        status: 201,
        columns: [
          { name, field: null, samples: ['Ada', ''] },
          { name: 'address', field: 'address', samples: ['', '1 Nowhere Blvd'] },
        ],
      })
      const { id } = (await post('/v1/matches?wait=20', { upload: body.id, columns: { [name]: 'owner' } })).body
      expect((await get(`/v1/matches/${id}`)).body).toMatchObject({
        status: 'done',
        counts: { no_match: 1, invalid: 1 },
      })
      const { text } = await get(`/v1/matches/${id}/results`)
      expect(text.split('\r\n').map((line) => line.split(',').slice(0, 2))).toEqual([
        [name, 'address'],
        ['Ada', ''],
        ['', '1 Nowhere Blvd'],
        [''],
      ])
    }
  })

  test('415: a media type that has the name of a member of every object', async () => {
    for (const type of ['constructor', '__proto__', 'toString; charset=utf-8']) {
      for (const path of ['/v1/uploads', '/v1/matches'])
        expect(await send(path, 'address\n1 Oak St\n', type)).toMatchObject({ status: 415 })
    }
  })

  test('400: an image is not a list', async () => {
    const png = Uint8Array.from(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
    for (const path of ['/v1/uploads', '/v1/matches']) {
      expect(await sendBytes(path, png)).toMatchObject({
        status: 400,
        body: { error: 'the list is not text: send CSV or NDJSON' },
      })
    }
  })

  test('a list of more than 100,000 rows ends with an error that says so', async () => {
    const enqueuer = (await issueKey(sql, { name: 'lists', capabilities: ['enqueue'] })).key
    const list = `address\n${'1 Elm St\n'.repeat(LIST_BOUNDS.rows + 1)}`
    const answer = await send('/v1/matches?wait=20', list, 'text/csv', { 'x-service-key': enqueuer })
    expect(answer.body).toMatchObject({
      status: 'error',
      error_code: 'bad_input',
      error_message: 'the list has more than 100,000 rows',
    })
  })

  test('a short list of exact rows is answered by indexes, without reading all parcels', async () => {
    const [one, other] = [first.situs_address, second.source_parcel_id]
    const { total, counts } = await match(csv('address,city,apn', `${one},${first.situs_city},`, `,,${other}`))
    expect({ total, counts }).toMatchObject({ total: 2, counts: { matched: 2 } })
  })

  test('a short list gets the answers of a long one, whether indexes find its parcels or not', async () => {
    const records = await sampleCounty(1_000).read()
    const lists = drawLists(readRoll(records), { count: 30, seed: 5 })
    const drawn = lists.flatMap(({ rows }) => rows.map(({ row }) => row))
    expect(drawn.length).toBeGreaterThan(300)
    const matcher = createListMatcher(drawn)
    for await (const batch of readMatchParcels(sql, { state: null, county: null, source: null, states: null })) {
      for (const parcel of batch) matcher.see(parcel)
    }
    const expected = drawn.map((_, row) => {
      const { outcome, reason, count, candidates } = matcher.decide(row)
      const ids = candidates.map(({ candidate }) => candidate.parcel.sourceParcelId)
      return outcome === 'no_match'
        ? { outcome, reason }
        : { outcome, reason, count, first: ids.length === 1 ? ids[0] : ids.length }
    })
    const { results } = await match(drawn.map((row) => JSON.stringify(row)).join('\n'), 'application/x-ndjson')
    const answers = (results as { outcome: string; reason: string; count: number; parcels: Parcel[] }[]).map(
      ({ outcome, reason, count, parcels: found }) =>
        outcome === 'no_match'
          ? { outcome, reason }
          : { outcome, reason, count, first: count === 1 ? found[0]?.source_parcel_id : count },
    )
    expect(answers as unknown[]).toEqual(expected)
  })

  test('a row gets the same answer in a short list as in a long one, whatever parcels the indexes found for other rows', async () => {
    const roll = [
      ['zz-1', '112-114 QUARTZ ST', 'MARLOW INES'],
      ['zz-2', '114 QUARTZ ST', 'MARLOW INES'],
      ['zz-3', 'QUARTZ ST', null],
      ['zz-4', 'QUARTZ ST', null],
      ['zz-5', '102 A ST', null],
    ]
    for (const [id = null, address = null, owner = null] of roll) {
      await sql`insert into parcels (source, source_parcel_id, situs_address, owner_name) values ('sample-county', ${id}, ${address}, ${owner})`
    }
    const rows = ['zz-2,102 A St,', 'zz-3,,', ',Quartz St,', ',114 Quartz St,Ines Marlow']
    const header = 'parcel_id,address,owner'
    const others = Array.from({ length: 1_001 }, (_, index) => `,${index + 1} Nowhere Rd,`)
    const long = await send('/v1/matches?wait=20', csv(header, ...rows, ...others), 'text/csv', {
      'x-service-key': ADMIN_KEY,
    })
    const answersOf = (results: { outcome: string; reason: string | null; parcels: Parcel[] }[]) =>
      results
        .slice(0, rows.length)
        .map(({ outcome, reason, parcels: found }) => [
          reason ?? outcome,
          ...found.map(({ source_parcel_id }) => source_parcel_id).toSorted(),
        ])
    const expected = [
      ['fields_disagree', 'zz-2', 'zz-5'],
      ['matched', 'zz-3'],
      ['several_parcels', 'zz-3', 'zz-4'],
      ['matched', 'zz-2'],
    ]
    expect(answersOf(long.body.results as never)).toEqual(expected)
    const short = await match(csv(header, ...rows))
    expect(answersOf(short.results as never)).toEqual(expected)
    await sql`delete from parcels where source_parcel_id like 'zz-%'`
  })

  test('a list without a known column, or without rows, ends with an error that says so', async () => {
    for (const [list, error_message] of [
      [csv('foo,bar', '1,2'), 'no column is known: name them in columns (foo, bar)'],
      ['address\n', 'the list has no rows'],
      ['', 'the file is empty: a CSV begins with a header'],
    ] as const) {
      const answer = await send('/v1/matches?wait=20', list)
      expect(answer.body).toMatchObject({ status: 'error', error_code: 'bad_input', error_message, counts: null })
    }
  })

  test('a column that the list lacks is named', async () => {
    const { body: upload } = await send('/v1/uploads', csv('Street,Owner name', '1 main st,ada'))
    const columns = { street: 'address', 'Owner name': 'owner' }
    const answer = await post('/v1/matches?wait=20', { upload: upload.id, columns })
    expect(answer.body).toMatchObject({
      ...{ status: 'error', error_code: 'bad_input' },
      error_message: 'columns names "street", but the list has Street, Owner name',
    })
  })

  test('403: a list of more than 500 rows needs the capability enqueue', async () => {
    const rows = Array.from({ length: LIST_BOUNDS.rowsOfReaders + 1 }, (_, index) => `${index} main st`)
    expect(await send('/v1/matches', csv('address', ...rows))).toMatchObject({
      status: 403,
      body: { error: 'lists of more than 500 rows need the capability enqueue, which this key lacks' },
    })
    expect((await send('/v1/matches', csv('address', ...rows.slice(1)))).status).toBe(202)
  })

  test('lines that end with CR, as Excel for Mac once wrote them, are counted, and the columns of a long list are known', async () => {
    const rows = Array.from({ length: 9_999 }, (_, index) => `${index} main st,x`)
    const text = ['address,city', ...rows].join('\r')
    expect(text.length).toBeGreaterThan(64 * 1024)
    for (const list of [Buffer.from(text), Buffer.from(`\ufeff${text.replace('city', '\u010a')}`, 'utf16le')]) {
      expect((await sendBytes('/v1/uploads', Uint8Array.from(list))).body).toMatchObject({
        lines: 10_000,
        columns: [
          {
            name: 'address',
            field: 'address',
            samples: ['0 main st', '1 main st', '2 main st', '3 main st', '4 main st'],
          },
          {},
        ],
      })
      expect((await sendBytes('/v1/matches', Uint8Array.from(list))).status).toBe(403)
    }
  })

  test('400: a CSV whose header does not end', async () => {
    expect(await send('/v1/uploads', `${'address,'.repeat(9_000)}\n1 main st\n`)).toMatchObject({
      status: 400,
      body: { error: 'the header has more than 64 KiB: a CSV begins with a header' },
    })
  })

  test('16 MiB of empty lines are counted quickly', () => {
    const list = new Uint8Array(LIST_BOUNDS.bytes).fill(10)
    const processorMs = startProcessorClock()
    for (let time = 0; time < 5; time++) expect(countLines(list)).toBe(LIST_BOUNDS.bytes)
    // Searching for each line end took 1.8 s.
    expect(processorMs()).toBeLessThan(800)
  })

  test('413 and 415: a list over 16 MiB, and a body of another type', async () => {
    const large = await send('/v1/matches', 'a'.repeat(LIST_BOUNDS.bytes + 1))
    expect(large).toMatchObject({ status: 413, body: { error: 'the body is larger than 16777216 bytes' } })
    expect((await send('/v1/uploads', '<html>', 'text/html')).status).toBe(415)
  })
})

describe('the rows of a match', () => {
  test('failed rows can be listed alone, downloaded with the columns of the list, and tried again', async () => {
    const list = csv('ref,address', `=1+1,${first.situs_address}`, '"B, 2",9 Nowhere Way')
    const { id } = await match(list)
    const { body } = await get(`/v1/matches/${id}/rows?outcome=no_match,invalid`)
    expect(body).toMatchObject({
      count: 1,
      next: null,
      rows: [{ row: 3, input: { ref: 'B, 2', address: '9 Nowhere Way' } }],
    })
    expect((await get(`/v1/matches/${id}/rows?limit=1`)).body).toMatchObject({ count: 1, next: 2 })
    expect((await get(`/v1/matches/${id}/rows?outcome=lost`)).status).toBe(400)

    const file = await app.handle(
      new Request(`http://localhost/v1/matches/${id}/results`, { headers: { 'x-service-key': key } }),
    )
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [header, ...lines] = (await file.text()).trim().split('\r\n')
    expect(header).toStartWith('ref,address,match_row,match_outcome,match_score')
    expect(lines[0]).toStartWith(
      `'=1+1,${first.situs_address},2,matched,1,address,,1,sample-county,${first.source_parcel_id},`,
    )
    expect(lines[1]).toStartWith('"B, 2",9 Nowhere Way,3,no_match,,,No street has a similar name.,0,')

    await sql`update parcels set situs_address = '9 NOWHERE WAY' where source_parcel_id = ${second.source_parcel_id}`
    const retried = await post(`/v1/matches/${id}/retry`, {})
    expect(retried).toMatchObject({ status: 202, body: { retry_of: id, upload: null } })
    const after = await waitForEnd(retried.body.id)
    expect(after.counts).toEqual({ matched: 1, tie: 0, no_match: 0, invalid: 0 })
    expect((await get(`/v1/matches/${after.id}/rows`)).body.rows).toMatchObject([{ row: 3, outcome: 'matched' }])
    expect(await post(`/v1/matches/${after.id}/retry`, {})).toMatchObject({ status: 409 })
    await sql`update parcels set situs_address = ${second.situs_address} where source_parcel_id = ${second.source_parcel_id}`
  })

  test('another key does not see a match, and cannot use the upload; its owner can delete it', async () => {
    const list = csv('address', first.situs_address)
    const { id, upload } = await match(list)
    const other = await readKey()
    expect((await call(`/v1/matches/${id}`, { key: other })).status).toBe(404)
    expect((await call('/v1/matches', { key: other })).body).toEqual({ count: 0, matches: [], next: null })
    expect(await call('/v1/matches', { method: 'POST', key: other, body: { upload } })).toMatchObject({ status: 404 })
    expect((await get('/v1/matches?limit=1')).body.matches[0].id).toBe(id)
    expect((await call(`/v1/matches/${id}`, { method: 'DELETE', key })).body).toMatchObject({ id, status: 'done' })
    expect((await get(`/v1/matches/${id}`)).status).toBe(404)
  })

  test('a match is deleted when it has expired, with its rows and its list', async () => {
    const { id } = await match(csv('address', second.situs_address))
    await sql`update matches set expires_at = now() - interval '1 s' where id = ${id}`
    expect((await get(`/v1/matches/${id}`)).status).toBe(404)
    expect(await deleteExpiredMatches(sql, 100)).toBe(1)
    expect(await sql`select from match_rows where match_id = ${id}`).toHaveLength(0)
    await sql`update uploads set expires_at = now() - interval '1 s'`
    expect(await deleteExpiredUploads(sql, 100)).toBeGreaterThan(0)
  })
})

test('a match that waits can be cancelled', async () => {
  await loop.stop()
  const { body } = await send('/v1/matches', csv('address', third.situs_address))
  expect(await call(`/v1/matches/${body.id}`, { method: 'DELETE', key })).toMatchObject({
    status: 200,
    body: { status: 'error', error_code: 'cancelled', error_message: `cancelled by ${key.slice(0, 8)}` },
  })
})

test('409: the file of a match that waits or was cancelled, because rows may be missing', async () => {
  await loop.stop()
  const { id } = (await send('/v1/matches', csv('address', third.situs_address))).body
  const refused = { status: 409, body: { error: 'the match is not done' } }
  expect(await get(`/v1/matches/${id}/results`)).toMatchObject(refused)
  await call(`/v1/matches/${id}`, { method: 'DELETE', key })
  expect(await get(`/v1/matches/${id}/results?format=ndjson`)).toMatchObject(refused)
})

const waitForEnd = async (id: string) => {
  for (;;) {
    const { body } = await get(`/v1/matches/${id}`)
    if (body.status === 'done' || body.status === 'error') return body
    await Bun.sleep(20)
  }
}

describe('the limits of uploaded lists', () => {
  const as = (owner: string) => ({ 'x-service-key': owner })
  const upload = (owner: string, list: string) => send('/v1/uploads', list, 'text/csv', as(owner))

  test('409: one more than 100 lists; the same list again is accepted, and so are lists of others', async () => {
    const owner = await readKey()
    const lists = await Promise.all(Array.from({ length: 105 }, (_, n) => upload(owner, `address\n${n} Main St\n`)))
    const accepted = lists.flatMap(({ status }, n) => (status === 201 ? n : []))
    expect(accepted).toHaveLength(LIST_BOUNDS.most)
    const refused = lists.find(({ status }) => status !== 201)
    expect([refused?.status, refused?.body.error]).toEqual([
      409,
      'you have 100 uploaded lists: delete a match, which deletes its list, or wait until a list expires',
    ])
    expect((await upload(owner, `address\n${accepted[0]} Main St\n`)).status).toBe(201)
    expect((await send('/v1/matches', 'address\n1 Elm St\n', 'text/csv', as(owner))).status).toBe(409)
    expect((await upload(await readKey(), 'address\n1 Main St\n')).status).toBe(201)
  })

  test('lists that are too large together are refused', async () => {
    const owner = await readKey()
    const { body } = await upload(owner, 'address\n1 Main St\n')
    const [stored] = await sql<{ owner: string }[]>`select owner from uploads where id = ${body.id}`
    const large = { id: crypto.randomUUID(), owner: stored?.owner ?? '', format: 'csv', lines: 1 } as const
    const adding = sql.begin((tx) => addUpload(tx, { ...large, content: new Uint8Array(LIST_BOUNDS.storedBytes) }))
    await expect(adding).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('more than 512 MiB together'),
    })
  })

  test('deleting a match makes room for another list, unless another match has its list', async () => {
    const owner = await readKey()
    const list = 'address\n1 Main St\n'
    const matches = [1, 2].map(() => send('/v1/matches', list, 'text/csv', as(owner)))
    const [one, two] = await Promise.all(matches)
    const count = async () => (await sql`select from uploads where id = ${one?.body.upload}`).length
    for (const [match, left] of [
      [one, 1],
      [two, 0],
    ] as const) {
      // The first request may cancel it.
      const remove = () => call(`/v1/matches/${match?.body.id}`, { method: 'DELETE', key: owner })
      await waitFor(async () => (await remove()).status === 404)
      expect(await count()).toBe(left)
    }
  })

  test('404: a match of an upload that has expired', async () => {
    const { body } = await send('/v1/uploads', 'address\n3 Main St\n')
    await sql`update uploads set expires_at = now() - interval '1 s' where id = ${body.id}`
    expect((await call('/v1/matches', { method: 'POST', body: { upload: body.id }, key })).status).toBe(404)
  })
})
