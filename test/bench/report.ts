import { appendFileSync } from 'node:fs'

export interface Goal {
  text: string
  met: boolean
}

/** One figure of a bench, beside what it is measured against. */
export interface Figure {
  bench: string
  title: string
  /** With its unit. */
  measured: string
  /** The floor or rival of the same run, with its unit; null where there is none. */
  rival?: string | null
  /** What is to be reached, and whether it was; null where nothing is. */
  goal?: Goal | null
}

/** Where `bun run bench` without a name gathers the figures of all benches. A bench that runs alone prints them only. */
export const REPORT_VARIABLE = 'BENCH_REPORT'

export const report = (figure: Figure): void => {
  const file = process.env[REPORT_VARIABLE]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

export const atLeast = (value: number, goal: number): Goal => ({ text: `≥ ${goal}`, met: value >= goal })
export const atMost = (value: number, goal: number): Goal => ({ text: `≤ ${goal}`, met: value <= goal })
