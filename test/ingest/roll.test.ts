import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { pino } from 'pino'
import { MAX_ACCOUNTS } from '../../core/parcels/accounts'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { parseFieldMap } from '../../src/ingest/fields/field-map'
import { ingestRoll, type RollOptions } from '../../src/ingest/roll/ingest-roll'
import { previewRoll } from '../../src/ingest/roll/preview-roll'
import { ROLL_FIELDS } from '../../src/ingest/roll/roll-fields'
import { createLoadRunner } from '../../src/work/load-runner'
import { takeWork } from '../../src/work/take-work'
import { createTestApp, insertCounty } from '../http/test-app'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { inFolder, writeFixture } from './files/write-fixture'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, call } = await createTestApp()
const log = pino({ level: 'silent' })

const MAP = parseFieldMap(
  'source_parcel_id=GISID, account_id=Account, unit=Unit, owner_name=Owner, owner_mailing_address=Mail, situs_address=Address, assessed_value=Total',
  ROLL_FIELDS,
)
const HEADER = 'GISID,Account,Unit,Owner,Mail,Address,Total\n'

/** A county whose parcels are A (with an owner), B and C. */
const plant = async (source: string) => {
  await insertCounty(sql, source)
  await upsertParcels(sql, source, [
    { sourceParcelId: 'A', ownerName: 'CONDO ASSOCIATION', situsAddress: '1 ELM ST' },
    { sourceParcelId: 'B' },
    { sourceParcelId: 'C' },
  ])
}

const load = (source: string, rows: string, options: Partial<RollOptions> = {}) =>
  ingestRoll(sql, source, {
    file: writeFixture(`${source}.csv`, HEADER + rows),
    map: MAP,
    rejectsFile: inFolder(`${source}.rejects.csv`),
    parcelsWithoutRowFile: inFolder(`${source}.missing.csv`),
    ...options,
  })

const get = async (source: string, id: string) => (await call(`/v1/parcels/${source}/${id}`)).body

const ROWS = `A,R2,2,OAK BO,PO BOX 2,1 ELM ST UNIT 2,"$2,000"
B,R7,,FIR CY,PO BOX 7,7 ELM ST,700
A,R1,1,ELM ADA,PO BOX 1,1 ELM ST UNIT 1,1000
Z,R9,,NOBODY,,,1
`

test('rows of a roll become accounts of their parcels; rows without a parcel and parcels without a row are counted and listed', async () => {
  await plant('roll')
  const summary = await load('roll', ROWS)
  expect(summary).toMatchObject({
    ...{ read: 4, accounts: 3, parcels: 2, updated: 2, unchanged: 0, rejected: 0, withoutParcel: 1, withoutRow: 1 },
    load: { status: 'applied' },
  })
  expect(readFileSync(inFolder('roll.rejects.csv'), 'utf8')).toBe(
    'line,reason,source_parcel_id\n5,roll has no parcel with this id,Z\n',
  )
  expect(readFileSync(inFolder('roll.missing.csv'), 'utf8')).toBe('source_parcel_id\nC\n')

  const condominium = await get('roll', 'A')
  expect(condominium.accounts).toEqual([
    {
      ...{ account_id: 'R1', unit: '1', owner_name: 'ELM ADA', owner_mailing_address: 'PO BOX 1' },
      ...{ situs_address: '1 ELM ST UNIT 1', land_use_class: null },
      ...{ assessed_value: 1000, value_land: null, value_improvement: null },
    },
    expect.objectContaining({ account_id: 'R2', owner_name: 'OAK BO', assessed_value: 2000 }),
  ])
  // If accounts differ, the parcel keeps its own texts. Values are added up.
  expect(condominium).toMatchObject({
    ...{ owner_name: 'CONDO ASSOCIATION', owner_names_all: ['ELM ADA', 'OAK BO'], situs_address: '1 ELM ST' },
    assessed_value: 3000,
  })
  // A single account sets the parcel's own fields.
  expect(await get('roll', 'B')).toMatchObject({
    ...{ owner_name: 'FIR CY', owner_names_all: ['FIR CY'], situs_address: '7 ELM ST', assessed_value: 700 },
    accounts: [{ account_id: 'R7' }],
  })
  expect(await get('roll', 'C')).toMatchObject({ owner_name: null, accounts: [] })
})

test('loading the same roll again, in any order, writes nothing', async () => {
  await plant('again')
  await load('again', ROWS)
  const before = await sql`select id, updated_at, xmin from parcels where source = 'again' order by id`
  const reordered = ROWS.split('\n').toReversed().filter(Boolean).join('\n')
  expect(await load('again', reordered)).toMatchObject({ updated: 0, unchanged: 2 })
  expect([...(await sql`select id, updated_at, xmin from parcels where source = 'again' order by id`)]).toEqual([
    ...before,
  ])
})

test('a changed account is one change of the parcel in its history, and an undo takes it back', async () => {
  await plant('log')
  await load('log', ROWS)
  const { load: second } = await load('log', ROWS.replace('ELM ADA', 'ASH EVE'))
  const { changes } = (await call('/v1/parcels/log/A/history')).body
  expect(Object.keys(changes[0].changes)).toEqual(['accounts', 'owner_names_all'])
  expect(changes[0].changes.accounts.former).toHaveLength(2)
  expect(changes[0].changes.accounts.new[0]).toMatchObject({ account_id: 'R1', owner_name: 'ASH EVE' })
  expect((await call('/v1/changes?source=log&fields=accounts&after=0')).body.changes).toHaveLength(3)
  const former = (await call(`/v1/parcels/log/A?as_of=${changes[1].at}`)).body
  expect(former.accounts[0]).toMatchObject({ owner_name: 'ELM ADA' })

  await call(`/v1/loads/${second?.id}/undo`, { method: 'POST' })
  await takeWork({ sql, runner: createLoadRunner({ log }), log }, { signal: new AbortController().signal })
  expect((await get('log', 'A')).accounts[0]).toMatchObject({ owner_name: 'ELM ADA' })
})

test('an account that is twice in a roll, a row without an id and an unreadable value are named', async () => {
  await plant('faults')
  const summary = await load(
    'faults',
    'A,R1,1,ELM,,,1\nA,R1,1,OAK,,,2\n,R3,,FIR,,,3\nB,R4,,FIR,,,many\nB,,,FIR,,,4\nB,,,FIR,,,4\n',
  )
  expect(summary).toMatchObject({ read: 6, accounts: 4, rejected: 2 })
  expect(readFileSync(inFolder('faults.rejects.csv'), 'utf8')).toBe(
    'line,reason,source_parcel_id\n3,the account R1 of this parcel is also on line 2,A\n4,source_parcel_id is missing,\n',
  )
  expect(summary.warnings).toEqual([expect.stringContaining('assessed_value: 1 unreadable value left out')])
})

test('a complete roll removes the accounts of parcels that it does not list, and keeps their fields', async () => {
  await plant('complete')
  await load('complete', ROWS)
  const rest = 'A,R2,2,OAK BO,PO BOX 2,1 ELM ST UNIT 2,2000\n'
  expect(await load('complete', rest)).toMatchObject({ withoutRow: 2, emptied: 0 })
  expect((await get('complete', 'B')).accounts).toHaveLength(1)
  expect(await load('complete', rest, { isComplete: true })).toMatchObject({ withoutRow: 2, emptied: 1, updated: 1 })
  expect(await get('complete', 'B')).toMatchObject({ accounts: [], owner_name: 'FIR CY', retired_at: null })
  expect((await get('complete', 'A')).accounts).toHaveLength(1)
  const { changes } = (await call('/v1/parcels/complete/B/history')).body
  expect(changes[0].origin.place).toBe('no row of the roll')
})

test('a roll that would empty the accounts of many parcels is held', async () => {
  await insertCounty(sql, 'held')
  const ids = Array.from({ length: 40 }, (_, index) => `P${index}`)
  await upsertParcels(
    sql,
    'held',
    ids.map((sourceParcelId) => ({ sourceParcelId })),
  )
  const rows = ids.map((id) => `${id},R-${id},,ELM,,,1`)
  expect((await load('held', rows.join('\n'))).load?.status).toBe('applied')
  const held = await load('held', rows.slice(0, 20).join('\n'), { isComplete: true })
  expect(held.load).toMatchObject({
    status: 'held',
    verdict: { checks: [{ check: 'emptied', field: 'accounts', count: 20 }] },
  })
  expect((await get('held', 'P39')).accounts).toHaveLength(1)
})

test('a roll for a source without parcels, and one whose join matches nothing, write nothing and say why', async () => {
  await insertCounty(sql, 'empty')
  await expect(load('empty', ROWS)).rejects.toThrow('empty has no parcels: load them first')
  await plant('wrong')
  expect(await load('wrong', 'X,R1,,ELM,,,1\n')).toMatchObject({
    accounts: 0,
    withoutParcel: 1,
    withoutRow: 3,
    load: null,
  })
  await expect(load('wrong', 'X,R1,,ELM,,,1\n', { isComplete: true })).rejects.toThrow('is --join right?')
  expect(existsSync(inFolder('wrong.missing.csv'))).toBe(true)
})

test('damage in the middle of a roll writes nothing', async () => {
  await plant('damaged')
  const file = writeFixture(
    'damaged.geojson',
    `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"GISID":"A","Account":"R1"},"geometry":null},{"type"`,
  )
  await expect(load('damaged', '', { file })).rejects.toThrow('the file ends inside the Feature')
  expect((await get('damaged', 'A')).accounts).toEqual([])
})

test('a preview of a roll finds the column with ids of parcels, guesses the map, and counts what matches', async () => {
  await plant('preview')
  const file = writeFixture(
    'preview.csv',
    `PIN,ACCT_NO,OWNER1,PROP_ADDR,TOTAL_VAL,GIS_LINK
x1,R2,OAK BO,1 ELM ST,"$2,000",<a href=1>A</a>
x2,R1,ELM ADA,1 ELM ST,many,<a href=2>A</a>
x3,R3,FIR CY,,3,<a href=3>Z</a>
`,
  )
  const found = await previewRoll(sql, 'preview', file)
  expect(found).toMatchObject({
    map: {
      ...{ source_parcel_id: 'plain(GIS_LINK)', account_id: 'ACCT_NO', owner_name: 'OWNER1' },
      ...{ situs_address: 'PROP_ADDR', assessed_value: 'TOTAL_VAL' },
    },
    rows: { read: 3, isAll: true, accounts: 2, withoutParcel: 1, rejected: 0 },
    parcels: { all: 3, withRow: 1, withoutRow: 2 },
    sample: [{ id: 'A', accounts: [{ account_id: 'R1' }, { account_id: 'R2' }] }],
    rejects: [{ count: 1, examples: [{ place: '4', id: 'Z', reason: 'preview has no parcel with this id' }] }],
    warnings: [expect.stringContaining('assessed_value: 1 unreadable value left out')],
  })
  // A map that is given replaces the guess. Nothing was written.
  const given = { map: parseFieldMap('source_parcel_id=PIN', ROLL_FIELDS), maxRows: 2 }
  expect(await previewRoll(sql, 'preview', file, given)).toMatchObject({
    ...{ map: { source_parcel_id: 'PIN' }, rows: { read: 2, isAll: false, accounts: 0, withoutParcel: 2 } },
  })
  expect(await sql`select from loads where source = 'preview'`).toHaveLength(0)
})

test('if no column matches, the join column is guessed by its name; without such a name, nothing is checked', async () => {
  await plant('named')
  const byName = await previewRoll(sql, 'named', writeFixture('named.csv', 'GISID,OWNER\n7,ELM\n'))
  expect(byName).toMatchObject({ map: { source_parcel_id: 'GISID' }, rows: { accounts: 0, withoutParcel: 1 } })
  expect(await previewRoll(sql, 'named', writeFixture('unnamed.csv', 'NOTE,SIZE\nx,1\n'))).toMatchObject({
    ...{ isMissingJoin: true, map: {}, rows: { read: 0 } },
  })
})

test('accounts beyond the most that a parcel can have are rejected, in the order of the file', async () => {
  await plant('many')
  const rows = Array.from({ length: MAX_ACCOUNTS + 2 }, (_, index) => `A,R${index},,,,,1`)
  const summary = await load('many', `${rows.join('\n')}\nZ,,,,,,\n`)
  expect(summary).toMatchObject({ accounts: MAX_ACCOUNTS, rejected: 2, withoutParcel: 1 })
  const reason = `the parcel has more than ${MAX_ACCOUNTS} accounts`
  const last = MAX_ACCOUNTS + 1
  expect(readFileSync(inFolder('many.rejects.csv'), 'utf8')).toBe(
    `line,reason,source_parcel_id\n${last + 1},${reason},A\n${last + 2},${reason},A\n${last + 3},many has no parcel with this id,Z\n`,
  )
})

test('a parcel keeps its value if the sum of those of its accounts is too large to be exact', async () => {
  await plant('large')
  await load('large', 'A,R1,,,,,700\nB,R1,,,,,5\n')
  const most = Number.MAX_SAFE_INTEGER
  expect(await load('large', `A,R1,,,,,${most}\nA,R2,,,,,2\nB,R1,,,,,${most - 1}\nB,R2,,,,,1\n`)).toMatchObject({
    rejected: 0,
  })
  expect(await get('large', 'A')).toMatchObject({ assessed_value: 700 })
  expect(await get('large', 'B')).toMatchObject({ assessed_value: most })
})
