import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { commandOf } from '../runner/programs'
import { createTestDatabase } from '../support/servers'
import { inFolder, writeFixture } from './files/write-fixture'

const { url, sql } = await createTestDatabase()

/** Runs the command in the fixtures' folder, on the test's database. */
const run = async (...args: string[]): Promise<{ code: number; out: string }> => {
  const child = Bun.spawn(commandOf('src/cli/ingest.ts', ...args), {
    cwd: inFolder('.'),
    // An external search server is not started, and the command never uses it.
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:9' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out: stdout + stderr }
}

const csv = 'PIN,Owner,SqFt\n1,ADA ELM,43560\n,BO BIRCH,87120\n'

test('parcels: a new source is created, the summary counts every row, rejected rows do not fail the command', async () => {
  const file = writeFixture('cli.csv', csv)
  const map = ['--map', 'source_parcel_id=PIN, owner_name=Owner', '--map', 'acreage=SqFt/43560']
  const unknown = await run('parcels', '--source', 'oak', file, ...map)
  expect(unknown).toEqual({
    code: 1,
    out: expect.stringContaining('--source: there is no source "oak"; add --state XX --county NAME'),
  })

  const first = await run('parcels', '--source', 'oak', '--state', 'or', '--county', 'Oak', file, ...map)
  expect(first.out).toContain(
    '2 rows read: 1 written (1 inserted, 0 updated), 0 unchanged, 1 rejected: see cli.csv.rejects.csv',
  )
  expect(first.code).toBe(0)
  expect(existsSync(inFolder('cli.csv.rejects.csv'))).toBe(true)
  expect([
    ...(await sql`select state, county_name, active, cadence, vendor from sources join source_refresh_policies using (source) where source = 'oak'`),
  ]).toEqual([{ state: 'OR', county_name: 'Oak', active: false, cadence: 'annual', vendor: 'file' }])

  const mapFile = writeFixture(
    'oak.map',
    '# Oak County\nsource_parcel_id=PIN\nowner_name=Owner\nacreage="SqFt"/43560\n',
  )
  const second = await run('parcels', '--source', 'oak', file, '--map-file', mapFile)
  expect(second.out).toContain('2 rows read: 0 written (0 inserted, 0 updated), 1 unchanged, 1 rejected')
})

test('the parcels of one county are not loaded into the source of another', async () => {
  const file = writeFixture('beech.csv', csv)
  const load = (state: string, county: string) =>
    run('parcels', '--source', 'beech', '--state', state, '--county', county, file, '--map', 'source_parcel_id=PIN')
  expect((await load('OR', 'Beech')).code).toBe(0)
  expect((await load('or', 'BEECH')).code).toBe(0)
  const says = (county: string) =>
    `--source: the source "beech" is of Beech, OR, not of ${county}. Correct the slug, or leave out --state and --county\n`
  expect(await load('WA', 'Beech')).toEqual({ code: 1, out: says('Beech, WA') })
  expect(await load('OR', 'Fern')).toEqual({ code: 1, out: says('Fern, OR') })
})

test('--preview prints columns, the map and the rejected rows, and writes nothing; the command that it prints loads the file', async () => {
  const file = writeFixture('seen.csv', csv)
  const { code, out } = await run('parcels', '--preview', file)
  expect(code).toBe(0)
  expect(out).toContain('PIN        50%  source_parcel_id       1')
  expect(out).toContain('All 2 rows: 1 parcel would be loaded, 1 row rejected')
  expect(out).toContain('line 3: source_parcel_id is missing')
  expect(out).toContain("--source SLUG --map 'source_parcel_id=PIN, owner_name=Owner' ")
  expect(out).toContain('a new source also needs --state XX --county NAME')
  expect(existsSync(inFolder('seen.csv.rejects.csv'))).toBe(false)

  const program = writeFixture('seen-map.ts', 'export const map = { source_parcel_id: (row) => row.PIN || "none" }\n')
  const loaded = await run('parcels', '--source', 'seen', '--state', 'OR', '--county', 'Seen', file, '--map', program)
  expect(loaded.out).toContain('2 rows read: 2 written')
  expect(await run('parcels', '--preview', '--rows', 'none', file)).toMatchObject({
    code: 2,
    out: expect.stringContaining('--rows takes a number or all, not "none"'),
  })
})

test('--preview says that it recognized no column, and aligns the samples', async () => {
  const { out } = await run('parcels', '--preview', writeFixture('words.csv', 'some words\nmore words\n'))
  expect(out).toContain('field map: no column was recognized\n')
  const owners = await run('parcels', '--preview', writeFixture('owners.csv', 'PIN,Owner Name,Owner Name\n1,ADA,BO\n'))
  const [, pin, owner] = owners.out.split('\n').slice(owners.out.split('\n').findIndex((line) => /^column/.test(line)))
  expect(owner).toContain('owner_name, owner_names_all')
  expect(owner?.indexOf('ADA')).toBe(pin?.lastIndexOf('1') ?? 0)
})

test('--preview of a file with a wrong --crs says that a load would be refused, as the load does', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => `${index},2500000,1300000`)
  const file = writeFixture('far.csv', `PIN,X,Y\n${rows.join('\n')}\n`)
  const wrong = ['--crs', 'EPSG:2913', '--map', 'source_parcel_id=PIN, lon=X, lat=Y', file]
  const refused =
    'far.csv: nearly all of the first boundaries and points are outside: [2500000, 1300000] cannot be NAD83(HARN) / Oregon North (ft) (EPSG:2913)'
  const { out } = await run('parcels', '--preview', ...wrong)
  expect(out).toContain('field map, as given')
  expect(out).toContain(`A load of this file would be refused: ${refused}`)
  expect(out).toContain('Which coordinate system is it? Add --crs EPSG:CODE')
  expect(out).not.toContain('would be loaded')
  expect(out).not.toContain('bun run ingest')
  const loaded = await run('parcels', '--source', 'far', '--state', 'OR', '--county', 'Far', ...wrong)
  expect(loaded).toMatchObject({ code: 1, out: expect.stringContaining(refused) })
})

test('the command that --preview prints has the options that the file needs', async () => {
  const file = writeFixture('feet.csv', 'PIN,X,Y\n1,7600000,680000\n')
  const map = 'source_parcel_id=PIN, lon=X, lat=Y'
  const { out } = await run('parcels', '--preview', '--crs', 'EPSG:2913', '--format', 'csv', '--map', map, file)
  expect(out).toContain(`--source SLUG --crs EPSG:2913 --format csv --map '${map}' ${file}`)
})

test('a misspelled option is named, with a pointer to --help', async () => {
  expect(await run('parcels', '--sauce', 'a.csv')).toEqual({
    code: 2,
    out: 'unknown option --sauce. --help lists the options\n',
  })
})

test('--preset loads a file in the schema of a state, whose columns a shapefile cut off', async () => {
  const file = writeFixture('state.csv', 'PARCELID,OWNERNME1,SITEADRESS,CNTASSDVAL\n7,ELM ADA,1 ELM ST,5000\n')
  const { out } = await run(
    ...['parcels', '--source', 'larch', '--state', 'WI', '--county', 'Larch', '--preset', 'wisconsin', file],
  )
  expect(out).toContain('1 row read: 1 written')
  expect([...(await sql`select assessed_value, situs_state from parcels where source = 'larch'`)]).toEqual([
    { assessed_value: '5000', situs_state: 'WI' },
  ])
})

test('ingest roll loads accounts, and reports rows without a parcel and parcels without a row', async () => {
  const lots = writeFixture('roll-lots.csv', 'source_parcel_id\n12-3\n12-4\n')
  await run('parcels', '--source', 'spruce', '--state', 'OR', '--county', 'Spruce', lots)
  const roll = writeFixture('roll.csv', 'GISID,PROP,Owner,Total\n12-3,1,ADA ELM,100\n12-3,2,BO BIRCH,200\n99,3,CY,1\n')
  const preview = await run('roll', '--source', 'spruce', '--preview', roll)
  expect(preview.out).toContain('All 3 rows: 2 accounts of 1 parcel, 1 row without a parcel, 0 rejected')
  expect(preview.out).toContain('parcels of spruce: 2, 1 without a row')
  expect(preview.out).toContain('bun run ingest roll --source spruce --join GISID --map ')
  const { code, out } = await run(
    ...['roll', '--source', 'spruce', '--join', 'ML=GISID', roll],
    ...['--map', 'account_id=PROP, owner_name=Owner, assessed_value=Total'],
  )
  expect(out).toContain('3 rows read: 2 accounts of 1 parcel (1 updated, 0 unchanged)')
  expect(out).toContain('rows without a parcel 1, rejected 0: see roll.csv.rejects.csv')
  expect(out).toContain('parcels without a row 1: see roll.csv.parcels-without-row.csv')
  expect(code).toBe(0)
  expect([...(await sql`select assessed_value from parcels where source = 'spruce' and accounts is not null`)]).toEqual(
    [{ assessed_value: '300' }],
  )
  const strangers = writeFixture('strangers.csv', 'PIN,account_id,assessed_value\nS-8,A-3,300\n')
  expect(await run('roll', '--source', 'spruce', '--join', 'PIN', strangers)).toMatchObject({
    code: 1,
    out: expect.stringContaining('No row could be loaded. --preview shows'),
  })
  expect(await run('roll', '--source', 'spruce', roll)).toMatchObject({
    code: 2,
    out: expect.stringContaining('--join is missing'),
  })
})

test('a load without a valid row creates no source', async () => {
  const file = writeFixture('nothing.csv', 'source_parcel_id,acreage\n,1\n')
  const { code, out } = await run('parcels', '--source', 'fir', '--state', 'OR', '--county', 'Fir', file)
  expect(out).toContain('1 row read: 0 written (0 inserted, 0 updated), 0 unchanged, 1 rejected')
  expect(out).toContain('the source fir was not created, because no parcel was loaded')
  expect(code).toBe(1)
  expect(await sql`select from sources where source = 'fir'`).toHaveLength(0)
  expect(out).toContain('No row could be loaded. --preview shows the columns of the file, and a --map that fits them.')
})

test('parts of a parcel are merged, with the sum of the fields that are named', async () => {
  const file = writeFixture('parts.csv', 'source_parcel_id,acreage,value_land\n7,1.5,100\n7,2,100\n')
  const { out } = await run(
    ...['parcels', '--source', 'yew', '--state', 'OR', '--county', 'Yew', file],
    ...['--duplicates', 'merge', '--sum', 'acreage'],
  )
  expect(out).toContain('2 rows read: 1 written (1 inserted, 0 updated), 0 unchanged, 0 rejected, 1 merged into others')
  expect([...(await sql`select acreage, value_land from parcels where source = 'yew'`)]).toEqual([
    { acreage: 3.5, value_land: '100' },
  ])
})

test('entities are loaded by jurisdiction', async () => {
  const { code, out } = await run(
    'entities',
    '--jurisdiction',
    'or',
    writeFixture('e.csv', 'registry_number,name\n1,ELM LLC\n'),
  )
  expect(out).toContain('1 row read: 1 written')
  expect(code).toBe(0)
  expect((await sql`select jurisdiction from entities`)[0]?.jurisdiction).toBe('OR')
})

test('a damaged file fails with code 1 and the reason', async () => {
  const { code, out } = await run('entities', '--jurisdiction', 'OR', writeFixture('none.geojson', '{}'))
  expect(code).toBe(1)
  expect(out).toContain('it has no "features"')
})

test('--help lists every option and field', async () => {
  const { code, out } = await run('--help')
  expect(code).toBe(0)
  for (const word of [
    '--map',
    '--map-file',
    '--rejects',
    '--encoding',
    '--duplicates',
    '--sum',
    '--boundary',
    '--crs',
    '--layer',
    '--county',
    'source_parcel_id',
    'registered_agent_name',
  ]) {
    expect(out).toContain(word)
  }
})

test.each([
  [['trees'], 'ingest takes parcels, roll or entities'],
  [['parcels'], 'FILE is missing'],
  [['parcels', 'a.csv'], '--source is missing'],
  [['parcels', '--source', 'Oak County', 'a.csv'], '--source takes a slug'],
  [['parcels', '--source', 'oak', '--state', 'OR', 'a.csv'], '--county is missing'],
  [['parcels', '--source', 'oak', '--state', 'Oregon', '--county', 'Oak', 'a.csv'], '--state takes the 2-letter code'],
  [['parcels', '--source', 'oak', '--state', 'ZZ', '--county', 'Oak', 'a.csv'], 'such as OR, not "ZZ"'],
  [['parcels', '--source', 'oak', '--format', 'shp', 'a.csv'], '--format must be one of shapefile'],
  [['parcels', '--source', 'oak', '--map', 'colour=Paint', 'a.csv'], '"colour" is not a field'],
  [['parcels', '--source', 'oak', '--map-file', 'nowhere.map', 'a.csv'], '--map-file: there is no nowhere.map'],
  [['parcels', '--source', 'oak', '--sauce', 'a.csv'], '--sauce'],
  [['parcels', '--source', 'oak', '--sum', 'acreage', 'a.csv'], '--sum belongs to --duplicates merge'],
  [
    ['parcels', '--source', 'oak', '--duplicates', 'merge', '--sum', 'acreage,owner_name', 'a.csv'],
    '--sum must be one of acreage, assessed_value, value_land, value_improvement, not "owner_name"',
  ],
  [['entities', '--jurisdiction', 'OR', '--duplicates', 'merge', 'a.csv'], '--duplicates merge belongs to'],
  [['entities', 'a.csv'], '--jurisdiction is missing'],
  [['entities', '--jurisdiction', 'ZZ', 'a.csv'], '--jurisdiction takes the 2-letter code'],
  [['entities', '--jurisdiction', 'OR', '--source', 'oak', 'a.csv'], '--source belongs to `ingest parcels`'],
])('a wrong call ends with code 2 and names the argument: %j', async (args, message) => {
  const { code, out } = await run(...args)
  expect(out).toContain(message)
  expect(code).toBe(2)
})

test('a folder is refused, unless it is a file geodatabase', async () => {
  const { code, out } = await run('parcels', '--preview', inFolder('.'))
  expect(out).toContain(
    ' is a folder: name the files in it. Only a file geodatabase, a folder NAME.gdb, is read as a whole',
  )
  expect(code).toBe(1)
})

test.each([
  ['a missing folder', 'nowhere/rows.csv', 'there is no folder nowhere'],
  ['a folder', '.', '. is a folder'],
])('--rejects with %s is refused before a row is read', async (_, rejects, says) => {
  const file = writeFixture('rejects.csv', csv)
  const create = ['--source', 'alder', '--state', 'OR', '--county', 'Alder', '--map', 'source_parcel_id=PIN']
  const { code, out } = await run('parcels', ...create, '--rejects', rejects, file)
  expect(out.trim()).toBe(says)
  expect(code).toBe(1)
  expect(await sql`select from sources where source = 'alder'`).toHaveLength(0)
})
