import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSampleParcel } from '../../../dev/sample-county/county'
import { sampleHistory } from '../../../dev/sample-county/history'
import { startPortal } from '../../../dev/sample-portal/portal'

const REPOSITORY = join(import.meta.dirname, '../../..')
/** A copy of the code in which to create folders. */
const tree = mkdtempSync(join(tmpdir(), 'adapter-cli-'))
for (const part of ['adapters', 'core', 'dev', 'drizzle', 'search', 'src', 'package.json', 'tsconfig.json']) {
  cpSync(join(REPOSITORY, part), join(tree, part), { recursive: true })
}
symlinkSync(join(REPOSITORY, 'node_modules'), join(tree, 'node_modules'))
afterAll(() => rmSync(tree, { recursive: true, force: true }))

const adapter = async (...args: string[]) => {
  const command = Bun.spawn(['bun', 'src/cli/adapter.ts', ...args], {
    cwd: tree,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, ALLOW_PRIVATE_SOURCES: '1' },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}
const caseFile = (vendor: string, name: string) => join(tree, 'adapters/vendors', vendor, 'fixtures', name, 'case.json')
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

test('a new vendor gets a folder whose cases pass, and is not created twice', async () => {
  const made = await adapter('new', 'elm-records')
  expect(made).toMatchObject({ code: 0, err: '' })
  expect(made.out).toContain("import { elmRecords } from './vendors/elm-records/adapter'")
  expect(readFileSync(join(tree, 'adapters/vendors/elm-records/adapter.ts'), 'utf8')).toContain("vendor: 'elm-records'")
  expect(await adapter('check', 'elm-records')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/elm-records +6\/6/),
  })
  expect(await adapter('new', 'elm-records')).toMatchObject({
    code: 1,
    err: expect.stringContaining('already exists'),
  })
  expect(await adapter('new', '../elm')).toMatchObject({ code: 2, err: expect.stringContaining('not a slug') })
})

test('check reports which case failed and why, and exits with code 1', async () => {
  await adapter('new', 'oak-records')
  const page = join(tree, 'adapters/vendors/oak-records/fixtures/full/parcel.html')
  writeFileSync(page, readFileSync(page, 'utf8').replace('Owner:', 'Holder:'))
  const { code, out } = await adapter('check', 'oak-records')
  expect(code).toBe(1)
  expect(out).toContain('oak-records, full: page_changed: no "Owner:"')
  expect(out).toMatch(/oak-records +5\/6/)
})

test('check names the fields that differ, and refuses a value that is not on the pages, even if the case expects it', async () => {
  await adapter('new', 'fir-records')
  const parse = join(tree, 'adapters/vendors/fir-records/parse.ts')
  writeFileSync(
    parse,
    readFileSync(parse, 'utf8').replace('ownerName: owner,', "ownerName: owner, zoningCode: 'RURAL RESIDENTIAL',"),
  )
  expect((await adapter('check', 'fir-records')).out).toContain(
    'fir-records, full: the result differs from the expected one in zoningCode\n',
  )
  await adapter('accept', 'fir-records', 'full')
  const { code, out } = await adapter('check', 'fir-records')
  expect(code).toBe(1)
  expect(out).toContain('fir-records, full: not on the pages: fields.zoningCode: "RURAL RESIDENTIAL"')
})

test('check runs every vendor, and shows the fields of each', async () => {
  const { code, out } = await adapter('check')
  expect(code).toBe(0)
  expect(out).toMatch(/^\d+ vendors +cases +grade +read +refused +wrong +owner .*as of/m)
  expect(out).toMatch(/^fixture +9\/9 +A +\d+ +\d+ +0 /m)
  expect(out).toMatch(/^pacs-property-access +\S+ +B \(TX: A\) /m)
  expect(out).toMatch(/^\d+ cases read, \d+ refused, 0 wrong\.$/m)
  expect(out).toContain('Every result matches the contract, and all its values are on the pages.')
})

test('accept writes the result into a new case, and does not change the others', async () => {
  await adapter('new', 'ash-records')
  const [full, changed, sparse] = ['full', 'changed', 'sparse'].map((name) => caseFile('ash-records', name)) as [
    string,
    string,
    string,
  ]
  const before = { full: readJson(full), changed: readJson(changed) }
  for (const [file, { expect: _, ...rest }] of [
    [full, before.full],
    [changed, before.changed],
  ] as const) {
    writeFileSync(file, JSON.stringify(rest))
  }
  writeFileSync(sparse, JSON.stringify({ ...readJson(sparse), expect: { refusal: 'blocked' } }))
  expect((await adapter('accept', 'ash-records')).code).toBe(0)
  expect(readJson(full)).toEqual(before.full)
  expect(readJson(changed).expect).toMatchObject({
    refusal: 'page_changed',
    says: expect.stringContaining(before.changed.expect.says),
  })
  expect(readJson(sparse).expect).toEqual({ refusal: 'blocked' })

  expect((await adapter('accept', 'ash-records', 'sparse')).code).toBe(0)
  expect(readJson(sparse).expect).toMatchObject({ fields: { ownerName: 'CITY OF LARKSPUR' } })
  expect(await adapter('accept', 'ash-records', 'spars')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no case spars'),
  })
})

test('accept and check refuse a case that lacks the response to a request', async () => {
  await adapter('new', 'yew-records')
  const full = caseFile('yew-records', 'full')
  const { expect: _, ...rest } = readJson(full)
  const lacking = { ...rest, exchanges: [{ ...rest.exchanges[0], url: 'https://portal.larkspur.example/other' }] }
  writeFileSync(full, JSON.stringify(lacking))
  expect(await adapter('accept', 'yew-records')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'yew-records, full: the case has no response for GET https://portal.larkspur.example/parcel',
    ),
  })
  expect(readJson(full)).toEqual(lacking)
  writeFileSync(full, JSON.stringify({ ...lacking, expect: { refusal: 'network' } }))
  const { code, out } = await adapter('check', 'yew-records')
  expect(code).toBe(1)
  expect(out).toContain('yew-records, full: network: the case has no response for GET')
})

test('try reads a page from a file, and says what it did not find', async () => {
  const page = join(REPOSITORY, 'adapters/vendors/fixture/fixtures/full/parcel.html')
  const { parcel_number } = readJson(join(REPOSITORY, 'adapters/vendors/fixture/fixtures/full/case.json')).expect.scrape
  const { code, out, err } = await adapter('try', 'fixture', '--parcel', parcel_number, '--page', page)
  expect(code).toBe(0)
  expect(JSON.parse(out).scrape).toMatchObject({ parcel_number, sale_history: expect.any(Array) })
  expect(err).toContain(`parcel: file:${page} (200, `)
  expect(err).toMatch(/Not found: geom, .*sale_history\[\]\.book/)
  expect(err).not.toContain('Does not match the contract')

  const other = await adapter('try', 'fixture', '--parcel', '12-0001-0010', '--page', `parcel=${page}`)
  expect(other).toMatchObject({ code: 1, out: '', err: expect.stringContaining(`of parcel "${parcel_number}"`) })
})

test('try lists the labels and headings on the page that nothing was read from', async () => {
  const folder = join(REPOSITORY, 'adapters/vendors/fixture/fixtures/full')
  const { parcel_number } = readJson(join(folder, 'case.json')).expect.scrape
  const page = join(tree, 'parcel.html')
  const html = readFileSync(join(folder, 'parcel.html'), 'utf8')
  writeFileSync(page, html.replace('<tr><th>Acres:', '<tr><th>Flood zone:</th><td>AE</td></tr><tr><th>Acres:'))
  const { code, out, err } = await adapter('try', 'fixture', '--parcel', parcel_number, '--page', page)
  expect(code).toBe(0)
  expect(err).toContain('On the page, but not read: Flood zone:')
  expect(JSON.parse(out)).not.toHaveProperty('report')
})

test("try scrapes a portal with a county's configuration, and saves the pages", async () => {
  const portal = startPortal({
    findRecord: (number) => {
      const parcel = findSampleParcel(number)
      if (parcel === null) return null
      const { updatedOn, ...history } = sampleHistory(parcel, new Date())
      return { number, fields: parcel, history, updatedOn }
    },
  })
  try {
    const config = join(tree, 'config.json')
    writeFileSync(config, JSON.stringify({ path: 'parcel' }))
    const asked = ['try', 'fixture', '--config', config, '--parcel', '12-0001-0010', '--base-url', portal.baseUrl]
    const kept = join(tree, 'kept')
    const { code, out } = await adapter(...asked, '--save', kept)
    expect(code).toBe(0)
    expect(JSON.parse(out).scrape.parcel_number).toBe('12-0001-0010')
    expect(readFileSync(join(kept, 'parcel.html'), 'utf8')).toContain('12-0001-0010')

    writeFileSync(config, JSON.stringify({ folder: 'x' }))
    expect(await adapter(...asked)).toMatchObject({ code: 1, err: expect.stringContaining('unknown field "folder"') })
  } finally {
    await portal.stop()
  }
})

test('an invalid command line prints the usage with code 2', async () => {
  expect(await adapter()).toMatchObject({ code: 2, err: expect.stringContaining('bun run adapter new VENDOR') })
  expect(await adapter('try', 'fixture')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--parcel is missing'),
  })
  expect(await adapter('try', 'fixture', '--parcel', '1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--base-url is missing'),
  })
  const page = join(tree, 'page.html')
  writeFileSync(page, '')
  expect(await adapter('try', 'fixture', '--parcel', '1', '--page', join(tree, 'none'))).toMatchObject({
    code: 1,
    err: `there is no ${join(tree, 'none')}\n`,
  })
  expect(await adapter('try', 'fixture', '--parcel', '1', '--page', page, '--save', page)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`--save: ${page} is a file, not a folder\n`),
  })
  expect(await adapter('try', 'no-such', '--parcel', '1', '--page', 'x.html')).toMatchObject({
    code: 1,
    err: expect.stringContaining('no adapter for the vendor no-such'),
  })
})
