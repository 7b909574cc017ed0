import { appendFileSync } from 'node:fs'

export interface Goal {
  text: string
  met: boolean
}

/** One figure of a bench, with what it is compared to. */
export interface Figure {
  bench: string
  title: string
  /** With its unit. */
  measured: string
  /** The floor or rival of the same run, with its unit. Null if there is none. */
  rival?: string | null
  /** The goal, and whether it was met. Null if there is none. */
  goal?: Goal | null
}

/** Names the file where `bun run bench` without a name collects all figures. A bench that runs alone only prints its figures. */
export const REPORT_VARIABLE = 'BENCH_REPORT'

export const report = (figure: Figure): void => {
  const file = process.env[REPORT_VARIABLE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

export const atLeast = (value: number, goal: number): Goal => ({ text: `≥ ${goal}`, met: value >= goal })
export const atMost = (value: number, goal: number, unit = ''): Goal => ({
  text: `≤ ${goal} ${unit}`.trimEnd(),
  met: value <= goal,
})
