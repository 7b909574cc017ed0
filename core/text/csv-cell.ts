/**
 * One cell of a CSV. A cell that a spreadsheet would read as a formula (it begins with = + - @, their full-width forms, tab, CR
 * or LF, with or without leading spaces) gets a leading apostrophe. A cell with a separator or quote of any spreadsheet is quoted, so that no text can
 * start a new cell (https://owasp.org/www-community/attacks/CSV_Injection). A plain negative number is not a formula and
 * stays unchanged: `-12.5`. A text that already begins like one with an apostrophe gets another, so that `textOfCell` finds it again.
 */
export const csvCell = (text: string): string => {
  const safe = FORMULA.test(text) && !NEGATIVE_NUMBER.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The text of an unquoted cell: without the apostrophe that keeps a spreadsheet from running it as a formula. */
export const textOfCell = (cell: string): string =>
  cell.charCodeAt(0) === APOSTROPHE && FORMULA.test(cell) ? cell.slice(1) : cell

const APOSTROPHE = 0x27
const FORMULA = /^'*(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
const NEGATIVE_NUMBER = /^-\d+(?:\.\d+)?$/
