import type { Adapter, ScrapedParcel } from '../../adapters/adapter'
import { splitFields } from '../../dev/adapter-cases/found-fields'
import { judgeCase } from '../../dev/adapter-cases/judge-case'
import { listCases } from '../../dev/adapter-cases/list-cases'

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

/**
 * Runs every case of the adapters. Prints the problems, then a table: the number of cases that passed, and the fields that
 * the vendor's pages show.
 *
 * @returns whether all cases passed
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
  if (isAllWell) console.log('Every result matches the contract, and all its values are on the pages.')
  return isAllWell
}

/** The length of the longest slug. */
const WIDTH = 26
