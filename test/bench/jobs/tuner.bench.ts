import { parseArgs } from 'node:util'
import { GOALS, judge, runBest, scenarios, type Verdict } from '../../scrape/tuner/scenarios'
import { atLeast, atMost, type Goal, report } from '../report'

/*
 * bun run bench tuner [--starts 16] [--only refuses]
 *
 * Measures how close the tuner gets to the best fixed setting on simulated portals. It runs `--starts` starts between the lowest and
 * the highest setting (128: all of them) and shows the worst figure of each portal. The figures are the same on every machine. Exits
 * with code 1 when a goal is missed.
 */
const { values } = parseArgs({ options: { starts: { type: 'string', default: '16' }, only: { type: 'string' } } })
const MOST = 128
const count = Math.min(MOST, Number(values.starts))
const starts = Array.from(
  { length: count },
  (_, index) => 1 + Math.round((index * (MOST - 1)) / Math.max(1, count - 1)),
)

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
const columns: [
  field: keyof Verdict,
  title: string,
  write: (value: number) => string,
  goal: (value: number) => Goal,
][] = [
  ['deviation', 'target off by', percent, (value) => atMost(value, GOALS.deviation)],
  [
    'refusedShare',
    'throttled',
    percent,
    (value) => ({ ...atMost(value, GOALS.refusedShare), met: value < GOALS.refusedShare }),
  ],
  ['throughputShare', 'throughput', (value) => value.toFixed(3), (value) => atLeast(value, GOALS.throughputShare)],
  ['recoveryCycles', 'cycles to recover', String, (value) => atMost(value, GOALS.recoveryCycles)],
]

const judged = scenarios.filter((scenario) => scenario.name.includes(values.only ?? ''))
/** The figures of all portals, by column. */
const worstOfAll = new Map<string, number>()
let failed = false
console.log(`the worst of ${starts.length} starts\n`)
console.log(
  `| portal | ${columns.map(([, title]) => title).join(' | ')} | |\n|---|${columns.map(() => '---|').join('')}---|`,
)
for (const { name, portal } of judged) {
  const best = runBest(portal)
  const verdicts = starts.map((start) => judge(portal, start, best))
  let isMissed = false
  const cells = columns.map(([field, , write, goalOf]) => {
    const known = verdicts.map((verdict) => verdict[field]).filter((value) => value !== null)
    if (known.length === 0) return ''
    const findWorst = field === 'throughputShare' ? Math.min : Math.max
    const worst = findWorst(...known)
    worstOfAll.set(field, findWorst(worst, worstOfAll.get(field) ?? worst))
    isMissed ||= !goalOf(worst).met
    return write(worst)
  })
  failed ||= isMissed
  console.log(`| ${name} | ${cells.join(' | ')} | ${isMissed ? 'MISSED' : 'met'} |`)
}
for (const [field, title, write, goalOf] of columns) {
  const worst = worstOfAll.get(field)
  if (worst === undefined) continue
  report({
    bench: 'tuner',
    title: `${title}, the worst of ${judged.length} portals`,
    measured: write(worst),
    goal: goalOf(worst),
  })
}
process.exit(failed ? 1 : 0)
