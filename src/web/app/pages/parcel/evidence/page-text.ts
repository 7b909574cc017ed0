/** What follows these elements is on a new line. */
const BLOCKS = 'address, br, dd, div, dt, form, h1, h2, h3, h4, h5, h6, li, option, p, section, table, tr'
const UNSEEN = 'script, style, template, noscript, head'

/**
 * The words of a portal's answers, without tags and scripts. `source` is the text that the service returns for them: each answer after a line that
 * begins with `===`. The pages are parsed in a document that runs no scripts and loads nothing.
 */
export const toPageText = (source: string): string =>
  source
    .split(/^(?==== )/m)
    .map((answer) => {
      const end = answer.indexOf('\n')
      return `${answer.slice(0, end)}\n\n${textOf(answer.slice(end))}\n`
    })
    .join('\n')

const textOf = (html: string): string => {
  const parsed = new window.DOMParser().parseFromString(html, 'text/html')
  for (const element of parsed.querySelectorAll(UNSEEN)) element.remove()
  for (const cell of parsed.querySelectorAll('td, th')) cell.append(' \t')
  for (const block of parsed.querySelectorAll(BLOCKS)) block.after('\n')
  return (parsed.body.textContent ?? '')
    .split('\n')
    .map((line) => line.replace(/[^\S\t]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}
