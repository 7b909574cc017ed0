import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { formatGrade, type HttpClient, type RawDocument, type ScrapedParcel } from '../../adapters/adapter'
import { ADAPTERS, findAdapter, VENDORS } from '../../adapters/registry'
import { SCRAPE_ERROR_CODES, ScrapeError } from '../../adapters/scrape-error'
import { listScrapeProblems } from '../../adapters/scrape-problems'
import { readAccount } from '../../adapters/vendors/helion-pso/fetch'
import type { Case } from '../../dev/adapter-cases/case'
import { inventedValues } from '../../dev/adapter-cases/invented-values'
import { listCases } from '../../dev/adapter-cases/list-cases'
import { replay } from '../../dev/adapter-cases/replay'
import { fetchCase, parseCase, runCase } from '../../dev/adapter-cases/run-case'
import { BENT, standsAlone, withBentLinks, withoutEachElement, withoutWords } from './page-size/damage'

/** The cases that every vendor must have. Other names may replace one if a portal has no such page. */
const NEEDED: readonly [what: string, names: readonly string[]][] = [
  ['a full parcel', ['full']],
  ['a sparse parcel', ['sparse']],
  ['a wrong parcel', ['wrong-parcel']],
  ['a parcel that is not found', ['not-found']],
  ['a portal that refuses the request', ['maintenance', 'challenge']],
  ['a changed page', ['changed']],
]

/** The error of a refused scrape; any other error is a bug. */
const refusalOf = async (work: () => unknown): Promise<ScrapeError | null> => {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof ScrapeError) return error
    throw error
  }
}

const documentsOf = async (adapter: (typeof ADAPTERS)[number], one: Case): Promise<RawDocument[]> => {
  const fetched = await fetchCase(adapter, one)
  return 'documents' in fetched ? fetched.documents : []
}

const parcelNumber = ({ scrape }: ScrapedParcel) => scrape.parcel_number

/** Without its best marker, the age of the data can be read from another marker. */
const MAY_DIFFER = /^scrape\.data_as_of/

/** Elements whose loss cannot be noticed: without them, for example, a bill has one installment instead of two. */
const SUMMANDS = /^<(?:tr|tbody|table)>/

/** Where `part` differs from `whole`. Lists can have fewer entries, each with fewer fields. */
const differences = (part: unknown, whole: unknown, path = ''): string[] => {
  if (MAY_DIFFER.test(path) || Bun.deepEquals(part, whole)) return []
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.flatMap((entry, index) =>
      whole.some((other) => differences(entry, other).length === 0)
        ? []
        : entryDifferences(entry, whole[index], `${path}.${index}`),
    )
  }
  if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null) {
    return [`${path}: ${JSON.stringify(part)}, not ${JSON.stringify(whole)}`]
  }
  return Object.entries(part).flatMap(([name, value]) =>
    differences(value, whole[name as keyof typeof whole], path === '' ? name : `${path}.${name}`),
  )
}

const entryDifferences = (part: unknown, whole: unknown, path: string): string[] =>
  typeof part === 'object' && typeof whole === 'object'
    ? differences(part, whole, path)
    : [`${path}: ${JSON.stringify(part)}`]

test('the registry has each vendor folder’s adapter exactly once, 24 in all', () => {
  const folders = readdirSync(join(import.meta.dirname, '../../adapters/vendors'))
  expect(ADAPTERS.map(({ vendor }) => vendor).toSorted()).toEqual(folders.toSorted())
  expect(VENDORS.map(({ vendor }) => vendor)).not.toContain('fixture')
  expect(VENDORS).toHaveLength(24)
  for (const adapter of ADAPTERS) expect(findAdapter(adapter.vendor)).toBe(adapter)
})

for (const adapter of ADAPTERS) {
  const cases = listCases(adapter.vendor)
  const scraped = cases.filter(({ expect }) => 'scrape' in expect)

  describe(adapter.vendor, () => {
    test('has a README and all required cases', () => {
      expect(existsSync(join(import.meta.dirname, '../../adapters/vendors', adapter.vendor, 'README.md'))).toBe(true)
      const names = cases.map(({ name }) => name)
      const missing = NEEDED.filter(([, choices]) => !choices.some((name) => names.includes(name)))
      expect(missing.map(([what]) => what)).toEqual([])
    })

    test('its README shows its grade', () => {
      const readme = readFileSync(
        join(import.meta.dirname, '../../adapters/vendors', adapter.vendor, 'README.md'),
        'utf8',
      )
      expect(readme).toContain(`\n- Grade: ${formatGrade(adapter)}. `)
    })

    test('its pages say in their first line that they are synthetic', () => {
      for (const { folder, exchanges } of cases) {
        for (const { file } of exchanges) {
          if (file.endsWith('.html'))
            expect(readFileSync(join(folder, file), 'utf8').split('\n')[0]).toContain('Synthetic')
        }
      }
    })

    for (const one of cases) {
      test(`${one.name}: ${one.about}`, async () => {
        if ('refusal' in one.expect) {
          const refusal = await refusalOf(() => runCase(adapter, one))
          expect(refusal?.code).toBe(one.expect.refusal)
          expect(refusal?.message).toContain(one.expect.says ?? '')
        } else expect(await runCase(adapter, one)).toEqual(one.expect as never)
      })
    }

    for (const [what, bend] of Object.entries(BENT)) {
      test(`links and forms whose address is ${what}: each page is refused with a code, or read as if it had not changed`, async () => {
        for (const one of cases) {
          const http = replay(one)
          const bent: HttpClient = {
            request: async (request) => withBentLinks(await http.request(request), bend),
            withOwnCookies: () => bent,
          }
          const refusal = await refusalOf(async () => {
            const fetched = await fetchCase(adapter, one, bent)
            if ('notModified' in fetched) {
              expect(one.expect).toEqual(fetched)
              return
            }
            const documents = fetched.documents.map((document) => withBentLinks(document, bend))
            const results = documents.find(({ name }) => name === 'results')
            if (adapter.vendor === 'helion-pso' && results !== undefined)
              readAccount(results, one.target.sourceParcelId)
            const result = parseCase(adapter, one, documents)
            expect({ name: one.name, differs: differences(result, one.expect) }).toEqual({
              name: one.name,
              differs: [],
            })
          })
          if (refusal !== null) expect(SCRAPE_ERROR_CODES).toContain(refusal.code)
        }
      })
    }

    for (const one of scraped) {
      test(`${one.name}: the result matches the contract and is the same every time`, async () => {
        const documents = await documentsOf(adapter, one)
        const written = JSON.stringify(documents)
        const result = parseCase(adapter, one, documents)
        expect(listScrapeProblems(result.scrape)).toEqual([])
        expect(parseCase(adapter, one, documents)).toEqual(result)
        expect(JSON.stringify(documents)).toBe(written)
      })

      test(`${one.name}: a page cut off anywhere is refused, or read without wrong values`, async () => {
        const documents = await documentsOf(adapter, one)
        const whole = parseCase(adapter, one, documents)
        await fc.assert(
          fc.asyncProperty(
            fc.nat(documents.length - 1),
            fc.double({ min: 0, max: 1, noNaN: true }),
            async (index, share) => {
              const cut = documents.map((document, position) =>
                position === index
                  ? { ...document, body: document.body.slice(0, share * document.body.length) }
                  : document,
              )
              await refusalOf(() => expect(parcelNumber(parseCase(adapter, one, cut))).toBe(parcelNumber(whole)))
            },
          ),
          { numRuns: 20 },
        )
      })

      test(`${one.name}: every value is on the pages`, async () => {
        const documents = await documentsOf(adapter, one)
        expect(inventedValues(parseCase(adapter, one, documents), documents, one.derived)).toEqual([])
      })
    }

    const required = cases.find(({ name }) => name === 'full')?.required ?? []
    for (const one of scraped.filter(({ name }) => name !== 'full')) {
      test(`${one.name}: a page without a required word of the full case is refused, naming the word, unless the result stays the same`, async () => {
        const documents = await documentsOf(adapter, one)
        const whole = parseCase(adapter, one, documents)
        for (const entry of required) {
          const { lost, named } = typeof entry === 'string' ? { lost: entry, named: entry } : entry
          if (!standsAlone(documents, lost)) continue
          const refusal = await refusalOf(() =>
            expect({ lost, result: parseCase(adapter, one, withoutWords(documents, lost)) }).toEqual({
              lost,
              result: whole,
            }),
          )
          if (refusal === null) continue
          const says = refusal.message.toLowerCase()
          const isNamed = says.includes(named.replace(/[\s:*]+$/, '').toLowerCase())
          expect({ lost, code: refusal.code, says, isNamed }).toEqual({
            lost,
            code: 'page_changed',
            says,
            isNamed: true,
          })
        }
      })
    }

    for (const one of cases.filter(({ name }) => name === 'full')) {
      test('the required words are on the full pages, including the parcel and its owner', () => {
        expect(one.required?.length ?? 0).toBeGreaterThanOrEqual(3)
      })

      for (const entry of one.required ?? []) {
        const { lost, named } = typeof entry === 'string' ? { lost: entry, named: entry } : entry
        test(`a page without ${JSON.stringify(lost)} is refused, naming it`, async () => {
          const documents = await documentsOf(adapter, one)
          const damaged = withoutWords(documents, lost)
          expect(damaged).not.toEqual(documents)
          const refusal = await refusalOf(() => parseCase(adapter, one, damaged))
          expect(refusal?.code).toBe('page_changed')
          expect(refusal?.message.toLowerCase()).toContain(named.replace(/[\s:*]+$/, '').toLowerCase())
        })
      }

      test('a page without any one element is refused, or its remaining values are unchanged', async () => {
        const documents = await documentsOf(adapter, one)
        const whole = parseCase(adapter, one, documents)
        for (const [index, document] of documents.entries()) {
          if (document.headers['content-type']?.includes('json')) continue
          for (const { lost, document: damaged } of withoutEachElement(document)) {
            await refusalOf(() => {
              const result = parseCase(adapter, one, documents.with(index, damaged))
              const differs = differences(result, whole).filter(
                // Without a whole row or table, fewer numbers are added up.
                (path) =>
                  !(SUMMANDS.test(lost) && Object.keys(one.derived ?? {}).includes(path.split(':')[0] as string)),
              )
              expect({ lost, differs }).toEqual({ lost, differs: [] })
            })
          }
        }
      })
    }
  })
}
