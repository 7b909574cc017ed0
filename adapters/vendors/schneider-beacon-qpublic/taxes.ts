import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { taxStatus } from '../../reading/tax-status'
import { wordsOf } from '../../reading/text'
import { present, readMoney } from '../../reading/values'
import type { Statement } from '../../scrape'
import { readGrid } from './grid'

/** "2024 Payable 2025" is the tax of 2024. */
const TAX_YEAR = /^((?:19|20)\d{2}) pay(?:able)? (?:19|20)\d{2}$|^((?:19|20)\d{2})$/
const yearIn = (text: string): number | undefined => {
  const match = TAX_YEAR.exec(wordsOf(text))
  return match === null ? undefined : Number(match[1] ?? match[2])
}

/**
 * Tax by year, in the two shapes of Ohio. Undefined: the page has neither, or only unknown content in them, or, with a warning, a year that
 * was not understood.
 */
export const readStatements = (page: Region): Statement[] | undefined => {
  const [details, columns] = [inDetails(page), inColumns(page)]
  if (details.includes(undefined)) {
    noteWarning('a year of the tax history was not understood, so the statements were left out')
    return undefined
  }
  const detailed = details.filter((found) => found !== undefined)
  const years = new Set(detailed.map(({ tax_year }) => tax_year))
  const found = [...detailed, ...columns.filter(({ tax_year }) => !years.has(tax_year))]
    .filter(({ paid, due }) => paid !== undefined || due !== undefined)
    .map((one) => ({ ...one, ...present({ status: taxStatus(one) }) }))
  return found.length === 0 ? undefined : found.toSorted((one, other) => other.tax_year - one.tax_year)
}

/** A row per year that unfolds into `#div2024` with labels and amounts. Undefined: a row without a year, or without its only details. */
const inDetails = (page: Region): (Statement | undefined)[] =>
  page.all('[id*="_gvwTaxHistory"][id*="_lblYearExpand"]').map(({ text }) => {
    const tax_year = yearIn(text)
    const details = tax_year === undefined ? [] : page.all(`div[id$="div${tax_year}"]`)
    const [detail] = details
    if (tax_year === undefined || detail === undefined || details.length > 1) return undefined
    return {
      tax_year,
      ...present<Omit<Statement, 'tax_year'>>({
        paid: amountBeside(detail, 'Collected:'),
        due: amountBeside(detail, 'Balance:'),
      }),
    }
  })

/** If the halves of a year repeat the label, its amount is not that of the whole year. */
const amountBeside = (detail: Region, label: string): number | undefined => {
  const shown = detail.lines.filter((line) => line.toLowerCase().startsWith(label.toLowerCase()))
  const rest = detail.findLine(label)
  // In the same line, a number without `$` may be a footnote mark.
  return shown.length === 1
    ? readMoney(detail.findBeside(label)?.text ?? (rest?.includes('$') ? rest : undefined))
    : undefined
}

/** One column per year. Only the row "Due" is known. */
const inColumns = (page: Region): Statement[] =>
  page.all('table[id$="_grdTaxHistory_grdYearData"]').flatMap((table) => {
    const { headings, rows } = readGrid(table, 'Tax History')
    const due = rows.filter(([label]) => wordsOf(label?.text ?? '') === 'due')
    return headings.flatMap((heading, column) => {
      const tax_year = column === 0 ? undefined : yearIn(heading)
      if (tax_year === undefined || due.length !== 1) return []
      return [{ tax_year, ...present<Omit<Statement, 'tax_year'>>({ due: readMoney(due[0]?.[column]?.text) }) }]
    })
  })
