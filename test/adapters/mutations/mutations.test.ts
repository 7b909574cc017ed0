import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ADAPTERS } from '../../../adapters/registry'
import { cutPages, runMutations } from './run-mutations'

/** A small part of `bun run bench mutations`. */
const COUNT = 40
/** Per document. */
const CUTS = 3
const SEED = 4

for (const adapter of ADAPTERS) {
  test(`${adapter.vendor}: a page whose structure changed is refused, or read without a wrong value`, async () => {
    const { tried, wrong, lost } = await runMutations(adapter, COUNT, SEED)
    expect(tried).toBe(COUNT)
    expect([...wrong, ...lost]).toEqual([])
  })

  test(`${adapter.vendor}: a page that was cut off is refused, or read without a loss`, async () => {
    const { tried, lost } = await cutPages(adapter, CUTS, SEED)
    expect(tried).toBeGreaterThan(0)
    expect(lost).toEqual([])
  })
}

test('the bench refuses a vendor without an adapter, because no page would be mutated', async () => {
  const bench = Bun.spawn(['bun', 'test/bench/adapters/mutations.bench.ts', '--vendor', 'elm-records'], {
    cwd: join(import.meta.dirname, '../../..'),
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, err] = await Promise.all([bench.exited, new Response(bench.stderr).text()])
  expect(code).toBe(1)
  expect(err).toContain('there is no adapter for the vendor elm-records. Vendors: arcgis-rest, ')
})
