import type { Comparison } from '../../scrape/prove/compare-with-page'

const MAX_COLUMN = 60

/** The values that were read next to the labels of the page, for a terminal. */
export const describeComparison = ({
  failure,
  values,
  labels,
  unread,
  warnings,
  absent,
  answers,
}: Comparison): string[] => {
  const lines = answers.map(({ name, url, status, sizeBytes }) => `${name}: ${url} (${status}, ${sizeBytes} bytes)`)
  if (failure !== null) return [...lines, `Not read: ${failure.code}: ${failure.message}`]
  const rows = labels.map(({ label, value, isRead, fields }): [page: string, read: string] => [
    `${label}${label.endsWith(':') ? '' : ':'} ${value}`,
    fields.length > 0 ? fields.join(', ') : isRead ? '(read)' : '(not read)',
  ])
  const width = Math.min(MAX_COLUMN, Math.max(...rows.map(([page]) => page.length), 0))
  if (rows.length > 0) lines.push('', `${'On the page'.padEnd(width)}  Read as`)
  for (const [page, read] of rows) lines.push(`${cut(page, width).padEnd(width)}  ${read}`)
  lines.push('', 'What was read')
  for (const { field, value } of values) lines.push(`  ${field}: ${value}`)
  lines.push('')
  if (absent.length > 0) lines.push(`Not found on the page: ${absent.join(', ')}`)
  if (unread.length > 0) lines.push(`On the page, but not read: ${unread.join(', ')}`)
  for (const warning of warnings) lines.push(`Warning: ${warning}`)
  return lines
}

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
