import { afterAll, expect, test } from 'bun:test'
import { tylerIasworld } from '../../../adapters/vendors/tyler-iasworld/adapter'
import { type JsonSchema, listSettings } from '../../../core/schema/settings'
import { listCases } from '../../../dev/adapter-cases/list-cases'
import { serveCase } from '../../../dev/adapter-cases/serve-case'
import { insertCounty } from '../../http/test-app'
import { commandOf } from '../../runner/programs'
import { createTestDatabase } from '../../support/servers'

const VENDOR = 'fixture'
const full = listCases(VENDOR).find(({ name }) => name === 'full')
if (full === undefined) throw new Error(`${VENDOR} has no full case`)
const portal = serveCase(full)
afterAll(() => portal.stop())
const { sql, url } = await createTestDatabase()
const { pathname } = new URL(full.target.baseUrl)
const id = full.target.sourceParcelId

await insertCounty(sql)
await sql`update sources set vendor = ${VENDOR}, base_url = ${portal.origin + pathname}, vendor_config = '{"path":"wrong"}'`

const run = async (source: string, ...answers: string[]) => {
  const command = Bun.spawn(commandOf('src/cli/adapter.ts', 'configure', source), {
    stdin: new Blob([answers.map((answer) => `${answer}\n`).join('')]),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, DATABASE_URL: url, MEILI_URL: '', ALLOW_PRIVATE_SOURCES: '1' },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err }
}
const configOf = async (source = 'elm') =>
  (await sql`select vendor_config from sources where source = ${source}`)[0]?.vendor_config

test('configure asks for each setting with its description, makes a dry run, and saves on yes', async () => {
  const unsaved = await run('elm', 'parcel', id, 'no')
  expect(unsaved).toMatchObject({ code: 1, err: 'the settings of elm were not saved\n' })
  expect(unsaved.out).toContain('path\n  The path of the parcel page, relative to base_url.\n  Example: parcel\n')
  expect(unsaved.out).toContain('path [wrong]: ')
  expect(unsaved.out).toContain('owner_name')
  expect(await configOf()).toEqual({ path: 'wrong' })

  const saved = await run('elm', (full.config as { path?: string } | undefined)?.path ?? '-', id, 'yes')
  expect(saved).toMatchObject({ code: 0, err: '', out: expect.stringContaining('The settings of elm are saved.') })
  expect(await configOf()).toEqual(full.config ?? {})
})

test('configure says what to look up, asks again until an answer fits, and keeps a value on Enter', async () => {
  const source = 'oh-stark-tyler-iasworld'
  await insertCounty(sql, source)
  await sql`update sources set vendor = 'tyler-iasworld', vendor_config = '{"jur":"025"}' where source = ${source}`
  // modes, jur, tax_year, pin, and the rest is kept.
  const { out } = await run(source, '', 'profileall, sales', '', 'next', '2025', 'sideways', 'digits')
  expect(out).toContain('Look up first: Set modes: open a parcel in the portal')
  expect(out).toContain('modes is required')
  expect(out).toContain('"next" is not a number')
  expect(out).toContain('"sideways" is not one of as-is, without-dashes, digits')
  expect(await configOf(source)).toEqual({ jur: '025' })

  const kept = new Array(listSettings(tylerIasworld.config as JsonSchema).length - 4).fill('')
  const saved = await run(source, 'profileall, sales', '', '2025', 'digits', ...kept, '', 'y')
  expect(saved).toMatchObject({ code: 0, err: '' })
  expect(await configOf(source)).toEqual({
    ...{ modes: ['profileall', 'sales'], jur: '025', tax_year: 2025, pin: 'digits' },
  })
})

test('if the answers end early, nothing is saved; an unknown source is refused', async () => {
  const before = await configOf()
  expect(await run('elm')).toMatchObject({ code: 1, err: expect.stringContaining('the answers ended at path') })
  expect(await configOf()).toEqual(before)
  expect(await run('nowhere')).toMatchObject({ code: 1, err: 'unknown source: nowhere\n' })
})
