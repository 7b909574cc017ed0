import { mean } from '../search/statistics'
import { type Corrections, type Keystrokes, share } from './measure'

/** The results of one county, by engine. */
export interface CountyResult {
  county: string
  parcels: number
  companies: number
  seconds: number
  kinds: { title: string; cases: number; ranks: Record<string, number[]> }[]
  keystrokes: { title: string; cases: number; engines: Record<string, Keystrokes> }[]
  corrections: Record<string, Corrections>
}

export const standardError = (values: readonly number[]): number => {
  const middle = mean(values)
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / Math.max(1, values.length - 1)
  return Math.sqrt(variance / Math.max(1, values.length))
}

export type Verdict = 'ahead' | 'level' | 'behind' | ''

/** Fewer cases say nothing. */
const MIN_CASES = 5

/** Compares engines on the same queries: ahead or behind by more than two standard errors of the difference. Empty: not compared. */
export const judge = (ours: readonly number[], rivals: readonly (readonly number[])[]): Verdict => {
  const best = rivals.toSorted((a, b) => mean(b) - mean(a))[0]
  if (best === undefined || ours.length < MIN_CASES) return ''
  const differences = ours.map((rank, index) => rank - (best[index] ?? 0))
  const difference = mean(differences)
  if (Math.abs(difference) <= 2 * standardError(differences)) return 'level'
  return difference > 0 ? 'ahead' : 'behind'
}

export const printCounty = (result: CountyResult): string => {
  const names = Object.keys(result.kinds[0]?.ranks ?? {})
  const [first = '', ...rivals] = names
  const verdictOf = (of: (name: string) => readonly number[]): Verdict => judge(of(first), rivals.map(of))
  const kinds = result.kinds.map(({ title, cases, ranks }) => {
    const of = (name: string) => ranks[name] ?? []
    const cells = names.map((name) =>
      [mean(of(name)), standardError(of(name)), share(of(name), 1), share(of(name), 1 / 5)]
        .map((value) => value.toFixed(3))
        .join(' | '),
    )
    return [title, cases, ...cells, verdictOf(of)]
  })
  const keystrokes = result.keystrokes.flatMap(({ title, cases, engines }) =>
    (['firstSeen', 'stays'] as const).map((what) => {
      const of = (name: string) => engines[name]?.[what] ?? []
      // Fewer letters are better.
      const verdict = verdictOf((name) => of(name).map((letters) => -letters))
      const cells = names.map((name) => `${mean(of(name)).toFixed(2)} | ${standardError(of(name)).toFixed(2)}`)
      return [title, what === 'stays' ? 'until it stays' : 'first seen', cases, ...cells, verdict]
    }),
  )
  const corrections = Object.entries(result.corrections).map(([name, found]) => [
    name,
    ...[found.correct, found.corrected, found.misspelt, found.right, found.wrong, found.none],
    (found.right / Math.max(1, found.misspelt)).toFixed(3),
  ])
  const count = (verdict: Verdict) => kinds.filter((row) => row.at(-1) === verdict).length
  return [
    `## ${result.county}: ${result.parcels} parcels, ${result.companies} companies, ${result.seconds.toFixed(0)} s`,
    table(
      ['kind', 'cases', ...names.map((name) => `${name} MRR@10 | s.e. | hit@1 | hit@5`), ''],
      names.length * 4 + 3,
      kinds,
    ),
    rivals.length === 0
      ? ''
      : `${count('ahead')} kinds ahead of the better rival, ${count('level')} level, ${count('behind')} behind (by more than two standard errors of the difference)`,
    keystrokes.length === 0
      ? ''
      : table(
          ['letters to top 5', '', 'cases', ...names.map((name) => `${name} | s.e.`), ''],
          names.length * 2 + 4,
          keystrokes,
        ),
    corrections.length === 0
      ? ''
      : table(
          [
            '`corrected`',
            'correct texts',
            'of these corrected',
            'misspelt',
            'corrected rightly',
            'wrongly',
            'not',
            'share',
          ],
          8,
          corrections,
        ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

const table = (head: readonly string[], columns: number, rows: readonly (readonly (string | number)[])[]): string =>
  [head, Array.from({ length: columns }, () => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
