import { afterAll, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import type { Adapter } from '../../adapters/adapter'
import { readPage } from '../../adapters/reading/page/read-page'
import type { StoredLabels } from '../../drizzle/queries/sources/source-labels'
import { createScrapeParcel } from '../../src/scrape/fetch/scrape-parcel'
import { addLabels, MAX_LABELS, MIN_SCRAPES_BEFORE_REPORT, WINDOW_SCRAPES } from '../../src/scrape/labels/add-labels'
import { createLabelCounter } from '../../src/scrape/labels/count-labels'
import { insertSource } from '../jobs/job-rows'
import { createTestContext } from '../jobs/test-adapter'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
for (const source of ['ash', 'elm', 'oak']) await insertSource(sql, source, 'test')
const errors: unknown[] = []
const counter = createLabelCounter({ sql, flushMs: 3_600_000, onError: (error) => errors.push(error) })
afterAll(() => counter.stop())

const NONE: StoredLabels = { scrapes: 0, scrapesBefore: 0, labels: [] }
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const noted = (scrapes: number, labels: Record<string, number>) => ({
  scrapes,
  labels: new Map(Object.entries(labels)),
})
const namesOf = ({ labels }: StoredLabels): string[] => labels.map(({ label }) => label)

test('a label that was never on the pages of a source is reported once, and not while the source is new', () => {
  const first = addLabels(NONE, noted(5, { Fire: 5 }), at(0))
  expect(first.reported).toEqual([])
  const second = addLabels(first.stored, noted(MIN_SCRAPES_BEFORE_REPORT, { Fire: 20, Zone: 1 }), at(1))
  expect(second.reported).toEqual([])
  const third = addLabels(second.stored, noted(1, { Fire: 1, Water: 1 }), at(2))
  expect(third.reported).toEqual(['Water'])
  expect(addLabels(third.stored, noted(1, { Water: 1 }), at(3)).reported).toEqual([])
  expect(third.stored).toMatchObject({ scrapes: 26 })
  expect(third.stored.labels[0]).toMatchObject({ label: 'Fire', seen: 26, firstSeenAt: at(0), lastSeenAt: at(2) })
})

test('the counts cover the last scrapes: a label that has gone from the pages has no count after two windows', () => {
  let { stored } = addLabels(NONE, noted(WINDOW_SCRAPES, { Fire: WINDOW_SCRAPES }), at(0))
  stored = addLabels(stored, noted(WINDOW_SCRAPES, { Zone: 7 }), at(1)).stored
  expect(stored).toMatchObject({ scrapes: WINDOW_SCRAPES, scrapesBefore: WINDOW_SCRAPES })
  expect(stored.labels).toMatchObject([
    { label: 'Fire', seen: 0, seenBefore: WINDOW_SCRAPES },
    { label: 'Zone', seen: 7, seenBefore: 0 },
  ])
  stored = addLabels(stored, noted(WINDOW_SCRAPES, {}), at(2)).stored
  expect(stored.labels[0]).toMatchObject({ label: 'Fire', seen: 0, seenBefore: 0 })
  // It is still known, so its return is not a new label.
  expect(addLabels(stored, noted(1, { Fire: 1 }), at(3)).reported).toEqual([])
})

test('a label that is unread on many more pages than before is reported once, unless it is marked as known', () => {
  const { stored } = addLabels(NONE, noted(WINDOW_SCRAPES, { Owner: 4, Fire: 40, Zone: 3 }), at(0))
  const marked = {
    ...stored,
    labels: stored.labels.map((label) => ({ ...label, isKnown: label.label === 'Zone' })),
  }
  const few = addLabels(marked, noted(19, { Owner: 19, Fire: 19, Zone: 19 }), at(1))
  expect(few.reported).toEqual([])
  const risen = addLabels(few.stored, noted(1, { Owner: 1, Fire: 1, Zone: 1 }), at(2))
  expect(risen.reported).toEqual(['Owner'])
  const rest = addLabels(risen.stored, noted(80, { Owner: 80, Fire: 80, Zone: 80 }), at(3))
  expect(rest.reported).toEqual([])
  // It stays as frequent, then it is read, and later it is unread again.
  const same = addLabels(rest.stored, noted(WINDOW_SCRAPES, { Owner: 100 }), at(4))
  expect(same.reported).toEqual([])
  const read = addLabels(same.stored, noted(WINDOW_SCRAPES, {}), at(5))
  expect(addLabels(read.stored, noted(30, { Owner: 30 }), at(6)).reported).toEqual(['Owner'])
  // Storing many scrapes together is not a rise, because the share stays the same.
  expect(addLabels(stored, noted(1_000, { Owner: 40, Fire: 400, Zone: 30 }), at(1)).reported).toEqual([])
})

test('the list is bounded: a new label replaces one that is gone, never one that is still on the pages or marked', () => {
  const many = Object.fromEntries(Array.from({ length: MAX_LABELS + 20 }, (_, n) => [`Label ${n}`, 1]))
  const { stored } = addLabels(NONE, noted(WINDOW_SCRAPES, many), at(0))
  expect(stored.labels).toHaveLength(MAX_LABELS)
  const full = addLabels(stored, noted(1, { Water: 1 }), at(1))
  expect(full.reported).toEqual([])
  expect(namesOf(full.stored)).not.toContain('Water')
  const gone = {
    ...stored,
    labels: stored.labels.map((label, n) => (n < 2 ? { ...label, seen: 0, seenBefore: 0, isKnown: n === 0 } : label)),
  }
  const { stored: replaced, reported } = addLabels({ ...gone, scrapes: 50 }, noted(1, { Water: 1 }), at(1))
  expect(reported).toEqual(['Water'])
  expect(replaced.labels).toHaveLength(MAX_LABELS)
  expect(namesOf(replaced)).toContain('Label 0')
  expect(namesOf(replaced)).not.toContain('Label 1')
})

const labelsOf = async (source: string) =>
  (
    await sql<{ scrapes: number; labels: { label: string; seen: number }[] }[]>`
    select scrapes, labels from source_labels where source = ${source}`
  )[0]

test('the counts of several scrapes are added up and stored together, even by two processes at the same moment', async () => {
  const other = createLabelCounter({ sql, flushMs: 3_600_000 })
  for (let scrape = 0; scrape < 10; scrape++) {
    counter.note('ash', ['Fire', 'Fire', 'Zone'])
    other.note('ash', ['Fire', 'bad \0 label', '\ud800'])
    counter.note('elm', [])
    counter.note('unknown', ['Fire'])
  }
  await Promise.all([counter.flush(), other.stop()])
  expect(errors).toEqual([])
  const stored = await labelsOf('ash')
  expect(stored?.scrapes).toBe(20)
  expect(stored?.labels.map(({ label, seen }) => [label, seen]).toSorted()).toEqual([
    ['Fire', 20],
    ['Zone', 10],
  ])
  expect(await labelsOf('elm')).toMatchObject({ scrapes: 10, labels: [] })
})

test('all new labels of a source are reported in one event', async () => {
  for (let scrape = 0; scrape < MIN_SCRAPES_BEFORE_REPORT; scrape++) counter.note('oak', ['Fire'])
  await counter.flush()
  counter.note('oak', ['Fire', 'Water', 'Sewer'])
  await counter.flush()
  counter.note('oak', ['Water'])
  await counter.flush()
  const events = await sql`select payload from events where kind = 'source'`
  expect(events.map(({ payload }) => payload)).toEqual([
    { source: 'oak', change: 'unread_labels', labels: ['Water', 'Sewer'], count: 2 },
  ])
})

test('a scrape counts the labels of its page that no field was read from, and a failed scrape counts nothing', async () => {
  const adapter: Adapter = {
    vendor: 'test',
    grade: 'C',
    needsBrowser: false,
    config: Type.Object({}, { additionalProperties: true }),
    fetch: async ({ sourceParcelId }) => ({
      documents: [
        {
          ...{ name: 'property', url: 'https://portal.example/1', status: 200, headers: {}, fetchedAt: at(0) },
          body: `<html><body><dl><dt>Parcel:</dt><dd>${sourceParcelId}</dd><dt>Fire district:</dt><dd>North</dd></dl></body></html>`,
        },
      ],
    }),
    parse: (documents, { sourceParcelId }) => {
      const parcel_number = readPage(documents, 'property').getBeside('Parcel').text
      return { shownIds: [sourceParcelId], fields: {}, scrape: { parcel_number, fetched_at: at(0) } }
    },
  }
  await insertSource(sql, 'yew', 'test')
  const scrapeParcel = createScrapeParcel({
    ...{ sql, labels: counter, findAdapter: () => adapter, createContext: createTestContext },
  })
  const signal = AbortSignal.timeout(20_000)
  await scrapeParcel({ source: 'yew', sourceParcelId: '1' }, { signal })
  const failing: Adapter = {
    ...adapter,
    parse: (documents) => {
      readPage(documents, 'property')
      throw new Error('it is broken')
    },
  }
  const failed = createScrapeParcel({
    ...{ sql, labels: counter, findAdapter: () => failing, createContext: createTestContext },
  })
  await expect(failed({ source: 'yew', sourceParcelId: '1' }, { signal })).rejects.toThrow()
  await counter.flush()
  expect(await labelsOf('yew')).toMatchObject({ scrapes: 1, labels: [{ label: 'Fire district:', seen: 1 }] })
})
