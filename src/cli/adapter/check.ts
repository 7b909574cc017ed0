import { type Adapter, formatGrade, type ScrapedParcel } from '../../../adapters/adapter'
import { countNoun } from '../../../core/text/count-noun'
import { splitFields } from '../../../dev/adapter-cases/found-fields'
import { judgeCase } from '../../../dev/adapter-cases/judge-case'
import { listCases } from '../../../dev/adapter-cases/list-cases'

/** The table's columns; few enough to fit a screen. */
const COLUMNS: readonly [heading: string, field: string][] = [
  ['owner', 'ownerName'],
  ['mail', 'ownerMailingAddress'],
  ['situs', 'situsAddress'],
  ['acres', 'acreage'],
  ['use', 'landUseClass'],
  ['zone', 'zoningCode'],
  ['land', 'valueLand'],
  ['bldg', 'valueImprovement'],
  ['value', 'assessedValue'],
  ['geom', 'geom'],
  ['bills', 'statements'],
  ['years', 'valuation_history'],
  ['sales', 'sale_history'],
  ['price', 'sale_history[].price'],
  ['exempt', 'exemptions'],
  ['builds', 'improvements'],
  ['as of', 'data_as_of'],
]

/** How the cases of a vendor ended. */
const COUNTS = ['read', 'refused', 'wrong'] as const

/**
 * Runs every case of the adapters. Prints the problems, then a table: the number of cases that passed, the vendor's grade, how many
 * pages were read as expected, refused as expected, or wrong, and the fields that the vendor's pages show.
 *
 * @returns whether all cases passed
 */
export const checkAdapters = async (adapters: readonly Adapter[]): Promise<boolean> => {
  const lines: string[] = []
  const total = { read: 0, refused: 0, wrong: 0 }
  let isAllWell = true
  for (const adapter of adapters) {
    const cases = listCases(adapter.vendor)
    const ended = { read: 0, refused: 0, wrong: 0 }
    for (const one of cases) {
      const problem = await judgeCase(adapter, one)
      ended[problem !== null ? 'wrong' : 'refusal' in one.expect ? 'refused' : 'read']++
      if (problem !== null) console.log(`${adapter.vendor}, ${one.name}: ${problem}`)
    }
    for (const name of COUNTS) total[name] += ended[name]
    isAllWell &&= ended.wrong === 0 && cases.length > 0
    const found = new Set(
      cases.flatMap(({ expect }) => ('scrape' in expect ? splitFields(expect as ScrapedParcel).found : [])),
    )
    lines.push(
      toLine(adapter.vendor, `${cases.length - ended.wrong}/${cases.length}`, formatGrade(adapter), ended, (field) =>
        found.has(field) ? '+' : '.',
      ),
    )
  }
  const headings = { read: 'read', refused: 'refused', wrong: 'wrong' }
  console.log(toLine(countNoun(adapters.length, 'vendor'), 'cases', 'grade', headings, (_, heading) => heading))
  console.log(lines.join('\n'))
  console.log(`${countNoun(total.read, 'case')} read, ${total.refused} refused, ${total.wrong} wrong.`)
  if (isAllWell) console.log('Every result matches the contract, and all its values are on the pages.')
  return isAllWell
}

const toLine = (
  vendor: string,
  cases: string,
  grade: string,
  counts: Record<(typeof COUNTS)[number], number | string>,
  mark: (field: string, heading: string) => string,
): string =>
  [
    vendor.padEnd(WIDTH),
    cases.padEnd(6),
    grade.padEnd('B (TX: A)'.length),
    ...COUNTS.map((name) => String(counts[name]).padEnd(name.length)),
    ...COLUMNS.map(([heading, field]) => mark(field, heading).padEnd(heading.length)),
  ].join(' ')

/** The length of the longest slug. */
const WIDTH = 26
