/** Eighths of a row, from empty to full. */
const BLOCKS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * Draws values over time as columns in a terminal: `height` rows, with the largest value and zero labeled at the left. If there are more values
 * than `width`, each column is the mean of several.
 */
export const drawChart = (
  title: string,
  values: readonly number[],
  {
    height = 6,
    width = Math.min(100, Math.max(20, (process.stdout.columns ?? 110) - 10)),
  }: { height?: number; width?: number } = {},
): string => {
  const columns = shrink(values, width)
  const most = Math.max(1e-9, ...columns)
  const label = String(Math.round(most * 10) / 10)
  const rows = Array.from({ length: height }, (_, index) => {
    const floor = height - 1 - index
    const cells = columns.map((value) => {
      const eighths = Math.round((value / most) * height * 8) - floor * 8
      return BLOCKS[Math.min(8, Math.max(0, eighths))]
    })
    const name = index === 0 ? label : floor === 0 ? '0' : ''
    return `${name.padStart(label.length)} ┤${cells.join('')}`
  })
  return [title, ...rows].join('\n')
}

const shrink = (values: readonly number[], width: number): number[] => {
  const run = Math.ceil(values.length / width)
  return Array.from({ length: Math.ceil(values.length / run) }, (_, index) => {
    const part = values.slice(index * run, (index + 1) * run)
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}
