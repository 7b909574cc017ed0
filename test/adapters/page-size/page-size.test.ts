import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ADAPTERS } from '../../../adapters/registry'
import { GROWTHS } from './grown-pages'
import { HOSTILE_PAGES } from './hostile-pages'
import type { MeasuredPage } from './measure-pages'

/** All pages are measured before the first test ends: up to a minute of processor time, which takes several on a busy machine. */
const MEASURING_MS = 600_000
const child = Bun.spawn(['bun', join(import.meta.dirname, 'measure-pages.ts')], {
  stdout: 'pipe',
  stderr: 'inherit',
  timeout: MEASURING_MS,
  killSignal: 'SIGKILL',
  // A reader returns the memory that it frees (src/scrape/readers/reader.ts).
  env: { ...process.env, MIMALLOC_PURGE_DELAY: undefined },
})
afterAll(() => child.kill('SIGKILL'))
const measured = new Response(child.stdout)
  .text()
  .then((text) => text.split('\n').flatMap((line): MeasuredPage[] => (line === '' ? [] : [JSON.parse(line)])))

/** The measurements of these pages. If a page crashes or blocks the process, it and all later pages are missing. */
const measuredOn = async (page: string): Promise<MeasuredPage[]> => (await measured).filter((one) => one.page === page)

/** The slowest page takes about 12 times as long as parse5 alone. A search that compares all pairs of 10,000 rows takes hundreds of times as long. */
const TIMES_PLAIN = 30

const expectBounded = ({ outcome, ms, plainMs, peakMb }: MeasuredPage) => {
  expect(['read', 'page_changed', 'too_large']).toContain(outcome)
  expect(ms).toBeLessThan(TIMES_PLAIN * plainMs)
  expect(peakMb).toBeLessThan(300)
}

test.each(Object.keys(HOSTILE_PAGES))(
  '%s is read or refused within 30 times the processor time of parse5 alone and 300 MB',
  async (kind) => {
    const pages = await measuredOn(kind)
    expect(pages).toHaveLength(1)
    for (const page of pages) expectBounded(page)
  },
  MEASURING_MS,
)

test.each(ADAPTERS.map(({ vendor }) => vendor))(
  '%s: its full page, grown to 1 MB or into 10,000 nested tags, is read or refused within 30 times the processor time of parse5 alone and 300 MB',
  async (vendor) => {
    const pages = await measuredOn(vendor)
    const [nested, row, tables] = GROWTHS
    // JSON has no tables.
    expect([
      [nested, row],
      [nested, row, tables],
    ]).toContainEqual(pages.map(({ growth }) => growth as (typeof GROWTHS)[number]))
    for (const { growth, size } of pages) expect(size).toBeGreaterThan(growth === nested ? 20_000 : 990_000)
    for (const page of pages) expectBounded(page)
  },
  MEASURING_MS,
)
