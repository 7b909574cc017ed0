import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf } from '../runner/programs'
import { TEST_TIMEOUT_MS } from '../support/deadlines'
import { createTestDatabase, waitFor } from '../support/servers'
import { createExporter, seedParcels } from './sample-export'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, url } = await createTestDatabase()
const PARCELS = 100
await seedParcels(sql, PARCELS)
await sql`update sources set license = 'CC-BY-4.0' where source = 'sample-county'`
const { workDir } = createExporter(sql)

const run = async (...args: string[]) => {
  const child = Bun.spawn(commandOf('src/cli/export.ts', ...args), {
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: join(workDir, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, said] = await Promise.all([new Response(child.stdout).bytes(), new Response(child.stderr).text()])
  return { code: await child.exited, output, said }
}
const linesOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trimEnd().split('\n')

test('bun run export writes a whole file, and a second file that says where its parcels are from', async () => {
  const file = join(workDir, 'parcels.ndjson')
  const { code, said } = await run('--format', 'ndjson', '--source', 'sample-county', '--fields', 'owner_name', file)
  expect([code, said]).toEqual([0, expect.stringMatching(/^100 parcels, 0\.\d MB in /m)])
  const rows = linesOf(await Bun.file(file).bytes()).map((line) => JSON.parse(line))
  expect(rows).toHaveLength(PARCELS)
  expect(Object.keys(rows[0])).toEqual(['id', 'source', 'source_parcel_id', 'owner_name', 'geom_geojson'])
  expect(await Bun.file(`${file}.origin.json`).json()).toEqual({
    dataset_version: expect.any(Number),
    licenses: [{ license: 'CC-BY-4.0', attribution: null, sources: ['sample-county'] }],
  })
  expect(readdirSync(workDir).filter((name) => name.startsWith('.'))).toEqual([])
})

test('without a file it writes to standard output, in every format', async () => {
  const csv = await run('--format', 'csv', '--geometry', 'none', '--min-acres', '1', '--state', 'or')
  const [counted] = await sql<{ n: number }[]>`select count(*)::int as n from parcels where acreage >= 1`
  expect([csv.code, linesOf(csv.output).length]).toEqual([0, (counted?.n ?? 0) + 1])
  const zipped = await run('--format', 'geojsonseq', '--gzip')
  expect(linesOf(Bun.gunzipSync(zipped.output as Uint8Array<ArrayBuffer>))).toHaveLength(PARCELS)
  const parquet = await run('--format', 'geoparquet')
  expect(new TextDecoder().decode(parquet.output.slice(-4))).toBe('PAR1')
  expect(readdirSync(join(workDir, 'data', 'exports-work'))).toEqual([])
})

test('--within exports the parcels of the polygon of a GeoJSON file', async () => {
  const [row] = await sql<{ geom: { type: string; coordinates: unknown }; id: string }[]>`
    select geom, source_parcel_id as id from parcels where geom is not null order by source_parcel_id desc limit 1`
  const area = join(workDir, 'area.geojson')
  await Bun.write(
    area,
    JSON.stringify({ type: 'FeatureCollection', features: [{ type: 'Feature', geometry: row?.geom }] }),
  )
  const inside = await run('--format', 'ndjson', '--fields', 'owner_name', '--within', area, '--relation', 'within')
  const ids = linesOf(inside.output).map((line) => JSON.parse(line).source_parcel_id)
  expect(ids).toEqual([row?.id])
  const met = await run('--format', 'ndjson', '--within', area)
  expect(linesOf(met.output).length).toBeLessThan(PARCELS / 2)
  expect(await run('--format', 'csv', '--within', join(workDir, 'none'))).toMatchObject({
    code: 2,
    said: expect.stringContaining('--within must be a GeoJSON file'),
  })
  expect(await run('--format', 'csv', '--relation', 'within')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--relation needs --within'),
  })
})

test('--bbox takes a box that begins with a negative longitude', async () => {
  const all = await run('--format', 'csv', '--bbox', '-125,24,-66,49')
  const [mapped] = await sql<
    { n: number }[]
  >`select count(*)::int as n from parcels where geom is not null or lon is not null`
  expect([all.code, linesOf(all.output).length]).toEqual([0, (mapped?.n ?? 0) + 1])
})

test('a reader that stops early ends the export without an error, and leaves no files behind', async () => {
  const command = commandOf('src/cli/export.ts', '--format', 'csv').map((part) => `'${part}'`)
  const child = Bun.spawn(['bash', '-c', `${command.join(' ')} | true; echo "code \${PIPESTATUS[0]}"`], {
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: join(workDir, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, said] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  expect([output, said]).toEqual(['code 0\n', 'the reader stopped\n'])
  expect(readdirSync(join(workDir, 'data', 'exports-work'))).toEqual([])
})

test('a full disk at standard output is an error, because the file is not complete', async () => {
  const child = Bun.spawn(commandOf('src/cli/export.ts', '--format', 'csv'), {
    env: { ...process.env, DATABASE_URL: url, DATA_DIR: join(workDir, 'data') },
    stdio: ['ignore', Bun.file('/dev/full'), 'pipe'],
  })
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
    1,
    'the disk is full: there is no room for this export\n',
  ])
  expect(readdirSync(join(workDir, 'data', 'exports-work'))).toEqual([])
})

test('an unknown source is an error', async () => {
  expect(await run('--format', 'csv', '--source', 'nowhere')).toMatchObject({
    code: 1,
    said: '--source: there is no source "nowhere"\n',
  })
})

test('an export that is stopped exits with code 130 and leaves no file', async () => {
  const file = join(workDir, 'stopped.csv')
  const child = await sql.begin(async (tx) => {
    await tx`lock table parcels`
    const exporting = Bun.spawn(commandOf('src/cli/export.ts', '--format', 'csv', file), {
      env: { ...process.env, DATABASE_URL: url, DATA_DIR: join(workDir, 'data') },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    await waitFor(async () => {
      const waiting = await sql`
        select from pg_stat_activity
        where datname = current_database() and application_name = 'export' and wait_event_type = 'Lock'`
      return waiting.length === 1
    })
    exporting.kill('SIGINT')
    return exporting
  })
  expect(await child.exited).toBe(130)
  expect(existsSync(file)).toBe(false)
})

test('a wrong option is refused with code 2, and names what it takes', async () => {
  expect(await run('--format', 'shapefile')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--format must be'),
  })
  expect(await run('--format', 'csv', '--fields', 'shoe_size')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--fields must be'),
  })
  expect(await run('--format', 'csv', '--bbox', '1,2')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--bbox must be'),
  })
  expect(await run('--format', 'geopackage', '--gzip')).toMatchObject({
    code: 2,
    said: expect.stringContaining('--gzip'),
  })
  const file = join(workDir, 'missing', 'file')
  expect((await run('--format', 'csv', file)).code).toBe(2)
  expect(existsSync(file)).toBe(false)
})
