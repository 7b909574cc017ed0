import { createWriteStream } from 'node:fs'
import type { Verdict } from './audit'
import type { RoleProcess } from './role-process'

const MOST_GROWTH = 1.2
const SETTLED_MS = 60_000
const SAMPLE_EVERY_MS = 500
/**
 * A level is the least of so long: what is above it is garbage that waits to be collected. An API process that leaks nothing goes up
 * and down by a fifth of its memory in half a minute (2026-11-21), so that its median at two moments tells nothing.
 */
const LEVEL_MS = 30_000

export interface MemoryWatch {
  /** The level now is the one that counts at the end. */
  markEnd: () => void
  levels: () => { name: string; first: number | null; end: number | null }[]
}

/**
 * Resident memory of each process under load: its level after its first minute (a process that was started again is judged
 * from then on), and at the end. All that was seen is in `file`, as CSV.
 */
export const watchMemory = (roles: readonly RoleProcess[], file: string): MemoryWatch => {
  const record = createWriteStream(file)
  record.write('process,age_s,mb\n')
  const samples = new Map(roles.map((role) => [role, [] as { mb: number; ageMs: number }[]]))
  const timer = setInterval(() => {
    for (const [role, taken] of samples) {
      const now = role.memory()
      // A younger process is another one.
      if (now === null || now.ageMs < (taken.at(-1)?.ageMs ?? 0)) taken.length = 0
      if (now === null) continue
      taken.push(now)
      record.write(`${role.name},${(now.ageMs / 1_000).toFixed(1)},${now.mb.toFixed(1)}\n`)
    }
  }, SAMPLE_EVERY_MS)

  return {
    markEnd: () => {
      clearInterval(timer)
      record.end()
    },
    levels: () =>
      [...samples].map(([{ name }, taken]) => {
        const endAgeMs = taken.at(-1)?.ageMs ?? 0
        return {
          name,
          first: least(
            taken.filter(({ ageMs }) => ageMs >= SETTLED_MS && ageMs < SETTLED_MS + LEVEL_MS).map(({ mb }) => mb),
          ),
          end: least(taken.filter(({ ageMs }) => ageMs > endAgeMs - LEVEL_MS).map(({ mb }) => mb)),
        }
      }),
  }
}

export const judgeMemory = (memory: MemoryWatch): Verdict[] =>
  memory.levels().map(({ name, first, end }) => {
    const check = `memory of ${name} is steady`
    if (end === null) return { check, passed: false, detail: 'not known on this system' }
    if (first === null) return { check, passed: true, detail: `${end.toFixed(0)} MB; it has not run for a minute` }
    return {
      check,
      passed: end <= first * MOST_GROWTH,
      detail: `${first.toFixed(0)} MB after its first minute, ${end.toFixed(0)} MB at the end (${(((end - first) / first) * 100).toFixed(0)} %)`,
    }
  })

const least = (numbers: number[]): number | null => (numbers.length === 0 ? null : Math.min(...numbers))
