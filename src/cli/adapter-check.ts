import type { Adapter, ScrapedParcel } from '../../adapters/adapter'
import { splitFields } from '../../dev/adapter-cases/found-fields'
import { judgeCase } from '../../dev/adapter-cases/judge-case'
import { listCases } from '../../dev/adapter-cases/list-cases'

/** What the table has a column for, short enough to fit a screen. */
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

/**
 * Runs every case of the adapters. Prints what is wrong, then a table: how many cases came out as expected, and which fields
 * any of the vendor's pages shows.
 *
 * @returns whether all is as expected
 */
export const checkAdapters = async (adapters: readonly Adapter[]): Promise<boolean> => {
  const lines: string[] = []
  let isAllWell = true
  for (const adapter of adapters) {
    const cases = listCases(adapter.vendor)
    let passed = 0
    for (const one of cases) {
      const problem = await judgeCase(adapter, one)
      if (problem === null) passed++
      else console.log(`${adapter.vendor}, ${one.name}: ${problem}`)
    }
    isAllWell &&= passed === cases.length && cases.length > 0
    const found = new Set(
      cases.flatMap(({ expect }) => ('scrape' in expect ? splitFields(expect as ScrapedParcel).found : [])),
    )
    const marks = COLUMNS.map(([heading, field]) => (found.has(field) ? '+' : '.').padEnd(heading.length))
    lines.push([adapter.vendor.padEnd(WIDTH), `${passed}/${cases.length}`.padEnd(6), ...marks].join(' '))
  }
  const headings = COLUMNS.map(([heading]) => heading)
  console.log([`${adapters.length} vendors`.padEnd(WIDTH), 'cases '.padEnd(6), ...headings].join(' '))
  console.log(lines.join('\n'))
  if (isAllWell) console.log('Every result fits the contract, and each of its values is on the pages.')
  return isAllWell
}

/** Of the longest slug. */
const WIDTH = 26
