const COLUMNS = 100

/**
 * Wraps the lines of a usage at 100 columns. A description, which begins after two or more blanks, continues below its first word. Any
 * other text continues at its indent.
 */
export const wrapUsage = (usage: string): string => usage.split('\n').flatMap(wrapLine).join('\n')

const wrapLine = (line: string): string[] => {
  const [start = ''] = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line) ?? []
  const lines: string[] = []
  let rest = line
  for (;;) {
    const at = rest.length > COLUMNS ? rest.lastIndexOf(' ', COLUMNS) : -1
    if (at <= start.length) return [...lines, rest]
    lines.push(rest.slice(0, at))
    rest = `${' '.repeat(start.length)}${rest.slice(at + 1)}`
  }
}
