import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLeader } from '../../../core/postgres/leader/leader'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { createSource } from '../../../drizzle/queries/sources/create-source'
import { findPublishedTiles } from '../../../drizzle/queries/tiles/published-tiles'
import { tileDuty } from '../../../drizzle/queries/tiles/tile-builds'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'
import { readArchive } from '../../tiles-build/read-archive'

const { sql, url } = await createTestDatabase()
await seedSampleCounty(sql, { parcels: 1_000, entities: 0 })
await createSource(sql, { source: 'bare', state: 'NV', countyName: 'Bare', baseUrl: 'https://example.invalid' })
const dir = mkdtempSync(join(tmpdir(), 'tiles-command-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const env = { ...process.env, DATABASE_URL: url, MEILI_URL: 'http://127.0.0.1:9', DATA_DIR: dir, TILES_URL: '' }

const start = (...args: string[]) =>
  Bun.spawn(commandOf('src/cli/tiles-build.ts', ...args), { stdout: 'pipe', stderr: 'pipe', env })

const build = async (...args: string[]) => {
  const command = start(...args)
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}

test('a build is published, and its name and figures are printed; building the same rows again changes nothing', async () => {
  const first = await build()
  const published = await findPublishedTiles(sql, 'parcels')
  expect(first).toMatchObject({ code: 0, out: `published parcels/${published?.hash}.pmtiles\n` })
  expect(first.err).toMatch(
    /^1,000 parcels; [\d,]+ tiles, [\d,]+ of them different, [\d,]+ drawn; \d+\.\d MB in \d+\.\d s, [\d,]+ parcels\/s, [\d,]+ tiles\/s\n$/,
  )
  expect(await build()).toMatchObject({ code: 0, out: `unchanged: parcels/${published?.hash}.pmtiles\n` })
})

test('on a terminal, a bar shows parcels, tiles, their rates and the time left', async () => {
  let shown = ''
  const command = Bun.spawn(commandOf('src/cli/tiles-build.ts', '--out', join(dir, 'shown.pmtiles')), {
    env,
    terminal: {
      cols: 200,
      rows: 20,
      data: (_, bytes) => {
        shown += new TextDecoder().decode(bytes)
      },
    },
  })
  expect(await command.exited).toBe(0)
  expect(shown).toMatch(/parcels .*% \| [\d,]+\/1,000 \| [\d,]+\/s \| \S+ left \| [\d,]+ tiles, [\d,]+\/s/)
})

describe('--out', () => {
  test('writes the file and publishes nothing', async () => {
    const before = await findPublishedTiles(sql, 'parcels')
    const file = join(dir, 'small.pmtiles')
    const args = ['--zooms', '12-13', '--layer', 'lots', '--properties', 'source_parcel_id, acreage', '--threads', '1']
    const filter = ['--source', 'sample-county', '--min-acres', '0.1', '--land-use', 'res']
    expect(await build(...args, ...filter, '--attribution', 'The county', '--out', file)).toMatchObject({
      code: 0,
      out: `${file}\n`,
    })
    const { header, metadata } = await readArchive(file)
    expect([header.minZoom, header.maxZoom]).toEqual([12, 13])
    expect(metadata).toMatchObject({
      attribution: 'The county',
      filter: { source: 'sample-county', min_acres: 0.1, land_use: 'res' },
      sources: ['sample-county'],
      vector_layers: [{ id: 'lots', fields: { source_parcel_id: 'String', acreage: 'Number' } }],
    })
    expect(await findPublishedTiles(sql, 'parcels')).toEqual(before)
    expect(await findPublishedTiles(sql, 'lots')).toBeNull()
  })

  test.skipIf(!existsSync('/dev/shm'))('may be on another file system', async () => {
    const elsewhere = mkdtempSync('/dev/shm/tiles-command-')
    try {
      const file = join(elsewhere, 'parcels.pmtiles')
      expect(await build('--out', file)).toMatchObject({ code: 0, out: `${file}\n` })
      expect(readdirSync(elsewhere)).toEqual(['parcels.pmtiles'])
      await readArchive(file)
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })

  test('in a missing folder is refused before the build starts', async () => {
    const refused = await build('--out', join(dir, 'nowhere', 'parcels.pmtiles'))
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining(`there is no folder ${join(dir, 'nowhere')}`),
    })
  })
})

test.each([
  [
    'zooms that run backwards',
    ['--zooms', '15-10'],
    '--zooms takes at most 10 zooms from 4 to 18, such as 10-15, not "15-10"',
  ],
  ['zooms too low', ['--zooms', '3-10'], 'not "3-10"'],
  ['zooms too high', ['--zooms', '12-19'], 'not "12-19"'],
  ['too many zooms', ['--zooms', '4-14'], 'not "4-14"'],
  ['zooms that are not numbers', ['--zooms', 'all'], 'not "all"'],
  ['an unknown property', ['--properties', 'id,owner'], 'owner_mailing_address, situs_address, situs_city'],
  ['no property', ['--properties', ''], 'not ""'],
  [
    'a layer that is a path',
    ['--layer', '../parcels'],
    '--layer takes up to 63 of a-z, 0-9, _ and -, starting with a letter',
  ],
  ['the layer of the manifest', ['--layer', 'manifest'], 'not "manifest"'],
  ['an invalid number of acres', ['--min-acres', 'few'], '--min-acres must be a number of at least 0'],
  [
    'an invalid state',
    ['--state', 'ZZ'],
    '--state takes the 2-letter code of a US state, DC or a territory, such as OR, not "ZZ"',
  ],
  [
    'a part of the parcels without a layer',
    ['--state', 'OR'],
    '--layer is missing: the layer parcels has every parcel',
  ],
  ['several sources without a layer', ['--source', 'a', '--source', 'b'], '--layer is missing'],
  ['no threads', ['--threads', '0'], '--threads must be a whole number from 1 to 64, not "0"'],
  ['an invalid number of threads', ['--threads', 'two'], 'not "two"'],
  ['an empty name', ['--out', ''], '--out takes the name of a file'],
  ['an unknown option', ['--zoom', '10'], 'unknown option --zoom'],
])('%s: refused with code 2 and the possible values', async (_, args, said) => {
  expect(await build(...args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(said) })
})

test('a source or state without parcels is an error with code 1, and the published archive stays', async () => {
  const before = await findPublishedTiles(sql, 'parcels')
  const cases: [args: string[], said: string][] = [
    [['--source', 'nobody'], 'there is no source nobody\n'],
    [['--source', 'bare', '--state', 'OR'], 'there is no source bare in OR\n'],
    [['--source', 'bare'], 'no parcel with a geometry: there is nothing to draw\n'],
    [['--state', 'ak'], 'no parcel with a geometry: there is nothing to draw\n'],
  ]
  for (const [args, err] of cases) expect(await build('--layer', 'part', ...args)).toEqual({ code: 1, out: '', err })
  expect(await findPublishedTiles(sql, 'parcels')).toEqual(before)
})

test('a second build of the same layer says that one is running, and waits for it', async () => {
  const other = createLeader(url, tileDuty('parcels'))
  expect(await other.lead()).not.toBeNull()
  const command = start()
  const waits = 'a build of the layer parcels is running: waiting for it to end\n'
  let err = ''
  for await (const bytes of command.stderr) {
    err += new TextDecoder().decode(bytes)
    if (err === waits) await other.stop()
  }
  expect(err).toStartWith(`${waits}1,000 parcels; `)
  expect(await new Response(command.stdout).text()).toStartWith('unchanged: parcels/')
  expect(await command.exited).toBe(0)
})

test('a build that waits for another one can be stopped', async () => {
  const other = createLeader(url, tileDuty('parcels'))
  expect(await other.lead()).not.toBeNull()
  const command = start()
  const { value } = await command.stderr.values().next()
  expect(new TextDecoder().decode(value)).toContain('waiting for it to end')
  command.kill('SIGINT')
  expect(await command.exited).not.toBe(0)
  await other.stop()
})

test('--help lists all options', async () => {
  const { code, out } = await build('--help')
  expect(code).toBe(0)
  const filter = ['source', 'state', 'county', 'owner', 'land-use', 'zoning', 'min-value', 'changed-since', 'retired']
  for (const option of ['zooms', 'layer', 'properties', ...filter, 'attribution', 'out', 'threads']) {
    expect(out).toContain(`--${option} `)
  }
})
