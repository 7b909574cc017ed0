import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ADAPTERS } from '../../../adapters/registry'
import { GROWTHS, type Growth } from './grown-pages'
import type { Measured } from './measure-parse'

/** Runs in its own process: measures `readPage` on a page of this kind, or reports that it is refused. */
const PROGRAM = `
const { readPage } = await import(process.argv[1] + '/adapters/reading/read-page.ts')
const { measureParse } = await import(process.argv[1] + '/test/adapters/page-size/measure-parse.ts')
const [body] = [{
  'a table of 1 MB': () => '<table>' + '<tr><td>Owner of record:</td><td>MARLOWE ROSE HOLLIS</td></tr>'.repeat(16_000) + '</table>',
  'a text of 1 MB': () => '<p>' + 'word '.repeat(200_000),
  '10,000 nested elements': () => '<div>'.repeat(10_000) + 'Owner: <b>ROSE</b>',
  '10,000 nested tables': () => '<table><tr><td>'.repeat(10_000),
  '10,000 misnested formats': () => '<b><i><a><font>'.repeat(2_500) + '<p>x</p>'.repeat(2_500),
  '1 MB of attributes': () => '<p ' + Array.from({ length: 80_000 }, (_, at) => 'data-' + at + '=1').join(' ') + '>x',
  '1 MB of nothing but tags': () => '<br>'.repeat(250_000),
  'a million open brackets': () => '<'.repeat(1_000_000),
}[process.argv[2]]()]
const document = { name: 'parcel', url: 'https://portal.example/', status: 200, headers: {}, body, fetchedAt: '' }
const measured = measureParse(() => {
  const page = readPage([document], 'parcel')
  page.findBeside('Owner:')
  page.findTable(['Owner'])
  page.says('nothing of the kind')
})
console.log(JSON.stringify(measured))
`

const expectBounded = (measured: Measured) => {
  expect(['read', 'page_changed', 'too_large']).toContain(measured.outcome)
  expect(measured.ms).toBeLessThan(2_000)
  expect(measured.peakMb).toBeLessThan(300)
}

test.each([
  'a table of 1 MB',
  'a text of 1 MB',
  '10,000 nested elements',
  '10,000 nested tables',
  '10,000 misnested formats',
  '1 MB of attributes',
  '1 MB of nothing but tags',
  'a million open brackets',
])('%s is read or refused within 2 s of processor time and 300 MB', async (kind) => {
  const root = join(import.meta.dirname, '../../..')
  const child = Bun.spawn(['bun', '-e', PROGRAM, '--', root, kind], { stdout: 'pipe', stderr: 'inherit' })
  expectBounded(JSON.parse(await new Response(child.stdout).text()))
})

interface Grown extends Measured {
  growth: Growth
  /** Characters of the largest document. */
  size: number
}

const parseGrown = async (vendor: string, growths: readonly Growth[]): Promise<Grown[]> => {
  const program = join(import.meta.dirname, 'parse-grown.ts')
  const child = Bun.spawn(['bun', program, vendor, ...growths], { stdout: 'pipe', stderr: 'inherit' })
  const lines = (await new Response(child.stdout).text()).split('\n').filter((line) => line !== '')
  expect(await child.exited).toBe(0)
  return lines.map((line) => JSON.parse(line))
}

test.each(ADAPTERS.map(({ vendor }) => vendor))(
  '%s: its full page, grown to 1 MB or into 10,000 nested tags, is read or refused within 2 s of processor time and 300 MB',
  async (vendor) => {
    // A page that is refused early uses little memory, so two of them share a process.
    const [nested, row, tables] = GROWTHS
    const grown = (await Promise.all([parseGrown(vendor, [nested, row]), parseGrown(vendor, [tables])])).flat()
    // JSON has no tables.
    expect([
      [nested, row],
      [nested, row, tables],
    ]).toContainEqual(grown.map(({ growth }) => growth))
    for (const { growth, size } of grown) expect(size).toBeGreaterThan(growth === nested ? 20_000 : 990_000)
    for (const measured of grown) expectBounded(measured)
  },
)
