/**
 * One cell of a CSV. A cell that a spreadsheet would read as a formula (it begins with = + - @, their full-width forms, tab, CR
 * or LF, with or without leading spaces) gets a leading apostrophe. A cell with a separator or quote of any spreadsheet is quoted, so that no text can
 * start a new cell (https://owasp.org/www-community/attacks/CSV_Injection). A plain negative number is not a formula and
 * stays unchanged: `-12.5`.
 */
export const csvCell = (text: string): string => {
  const safe = FORMULA.test(text) && !NEGATIVE_NUMBER.test(text) ? `'${text}` : text
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/
const NEGATIVE_NUMBER = /^-\d+(?:\.\d+)?$/
