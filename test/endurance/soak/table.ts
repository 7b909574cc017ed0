import type { Verdict } from './audit'
import type { Witness } from './witness'

/** Prints three tables: responses, faults and verdicts. */
export const printTable = (witness: Witness, verdicts: readonly Verdict[]): void => {
  const statuses = [...new Set([...witness.answers().values()].flatMap((outcomes) => [...outcomes.keys()]))].sort()
  console.log(
    `\n${table(
      ['request', ...statuses],
      [...witness.answers()].map(([kind, outcomes]) => [kind, ...statuses.map((status) => outcomes.get(status) ?? '')]),
    )}`,
  )
  console.log(
    `\n${table(
      ['fault', 'repaired after s', '503s around it'],
      witness
        .faults()
        .map(({ name, startedAt, endedAt, unavailable }) => [
          name,
          endedAt === null ? 'never' : ((endedAt - startedAt) / 1_000).toFixed(1),
          unavailable,
        ]),
    )}`,
  )
  console.log(
    `\n${table(
      ['', 'check', ''],
      verdicts.map(({ check, passed, detail }) => [passed ? 'ok' : 'FAILED', check, detail]),
    )}`,
  )
}

const table = (head: string[], rows: (string | number)[][]): string => {
  const lines = [head, ...rows.map((row) => row.map(String))]
  const widths = head.map((_, column) => Math.min(70, Math.max(...lines.map((line) => line[column]?.length ?? 0))))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
