import { SingleBar } from 'cli-progress'
import { formatCount } from '../../../core/text/count-noun'

/** Hold it with `using`: after an error, a bar that is still open would keep the process alive. */
export interface Progress extends Disposable {
  /** `note` is printed at the end of the line. */
  update: (done: number, note?: string) => void
  /** Ends the bar, and prints `summary` as the last line. */
  finish: (summary: string) => void
}

const PLAIN_LINE_EVERY_MS = 5_000

/**
 * Shows the progress of a long command on standard error (standard output is for the command's results): a bar with
 * rate and time left on a terminal, a plain line every 5 s elsewhere. `total` null: unknown, and the bar only counts. `isBytes`: shown in MB.
 */
export const createProgress = (
  title: string,
  total: number | null,
  {
    isBytes = false,
    stream = process.stderr,
  }: { isBytes?: boolean; stream?: NodeJS.WritableStream & { isTTY?: boolean } } = {},
): Progress => {
  const startedAt = Date.now()
  const rateOf = (done: number) => Math.round(done / Math.max(0.001, (Date.now() - startedAt) / 1000))
  const show = (value: number): string => (isBytes ? `${(value / 1e6).toFixed(1)} MB` : formatCount(value))
  const print = (line: string) => stream.write(`${line}\n`)

  if (stream.isTTY === true) {
    const format =
      total === null
        ? '{value} | {rate}/s{note}'
        : '{bar} {percentage}% | {value}/{total} | {rate}/s | {eta_formatted} left{note}'
    const bar = new SingleBar({
      format: `${title} ${format}`,
      stream,
      // Line wrapping stays on, so that an interrupted bar leaves the terminal as it was.
      linewrap: true,
      barsize: 30,
      etaBuffer: 100,
      barCompleteChar: '\u2588',
      barIncompleteChar: '\u2591',
      formatValue: (value, _, type) => (type === 'percentage' ? String(value) : show(value)),
    })
    bar.start(total ?? 0, 0, { rate: '0', note: '' })
    return {
      update: (done, note) =>
        bar.update(done, {
          rate: show(rateOf(done)),
          note: note === undefined ? '' : ` | ${note}`,
        }),
      finish: (summary) => {
        bar.stop()
        print(summary)
      },
      [Symbol.dispose]: () => bar.stop(),
    }
  }

  let printedAt = startedAt
  return {
    update: (done, note) => {
      if (Date.now() - printedAt < PLAIN_LINE_EVERY_MS) return
      printedAt = Date.now()
      const rate = rateOf(done)
      const left = total === null || rate === 0 ? '' : `, ${Math.ceil((total - done) / rate)} s left`
      print(
        `${title}: ${show(done)}${total === null ? '' : ` of ${show(total)}`}, ${show(rate)}/s${left}${note === undefined ? '' : `, ${note}`}`,
      )
    },
    finish: print,
    [Symbol.dispose]: () => {},
  }
}
