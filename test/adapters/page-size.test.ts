import { expect, test } from 'bun:test'
import { join } from 'node:path'

/**
 * Runs in a process of its own: what `readPage` takes of a page of this kind, or that it refuses it. Memory is the most that
 * the whole process ever held (VmHWM), Bun itself included.
 */
const PROGRAM = `
import { readFileSync } from 'node:fs'
const { readPage } = await import(process.argv[1] + '/adapters/reading/read-page.ts')
const [body] = [{
  'a table of 1 MB': () => '<table>' + '<tr><td>Owner:</td><td>MARLOWE ROSE</td></tr>'.repeat(22_000) + '</table>',
  'a text of 1 MB': () => '<p>' + 'word '.repeat(200_000),
  '10,000 nested elements': () => '<div>'.repeat(10_000) + 'Owner: <b>ROSE</b>',
  '10,000 nested tables': () => '<table><tr><td>'.repeat(10_000),
  '10,000 misnested formats': () => '<b><i><a><font>'.repeat(2_500) + '<p>x</p>'.repeat(2_500),
  '1 MB of attributes': () => '<p ' + Array.from({ length: 80_000 }, (_, at) => 'data-' + at + '=1').join(' ') + '>x',
  'a million open brackets': () => '<'.repeat(1_000_000),
}[process.argv[2]]()]
const document = { name: 'parcel', url: 'https://portal.example/', status: 200, headers: {}, body, fetchedAt: '' }
const started = performance.now()
let outcome = 'read'
try {
  const page = readPage([document], 'parcel')
  page.findBeside('Owner:')
  page.findTable(['Owner'])
  page.says('nothing of the kind')
} catch (error) {
  outcome = error.code
}
const ms = performance.now() - started
const peakKb = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
console.log(JSON.stringify({ outcome, ms, peakMb: peakKb / 1024 }))
`

test.each([
  'a table of 1 MB',
  'a text of 1 MB',
  '10,000 nested elements',
  '10,000 nested tables',
  '10,000 misnested formats',
  '1 MB of attributes',
  'a million open brackets',
])(
  '%s is read or refused within 2 s and 300 MB',
  async (kind) => {
    const root = join(import.meta.dirname, '../..')
    const child = Bun.spawn(['bun', '-e', PROGRAM, '--', root, kind], { stdout: 'pipe', stderr: 'inherit' })
    const { outcome, ms, peakMb } = JSON.parse(await new Response(child.stdout).text())
    expect(['read', 'page_changed']).toContain(outcome)
    expect(ms).toBeLessThan(2_000)
    expect(peakMb).toBeLessThan(300)
  },
  30_000,
)
