import { createWriteStream } from 'node:fs'
import type { Verdict } from './audit'
import type { RoleProcess } from './role-process'

const MAX_GROWTH = 1.2
const SETTLED_MS = 60_000
const SAMPLE_EVERY_MS = 500
/**
 * A memory level is the minimum over this time: anything above it is garbage waiting to be collected. The memory of an API process
 * without a leak goes up and down by a fifth in half a minute (2026-11-21), so medians at two moments cannot be compared.
 */
const LEVEL_MS = 30_000

export interface MemoryWatch {
  /** Takes the current levels as those at the end. */
  markEnd: () => void
  levels: () => { name: string; first: number | null; end: number | null }[]
}

/**
 * Watches the resident memory of each process under load: its level after its first minute (counted from its last restart) and at the
 * end. Writes all samples to `file` as CSV.
 */
export const watchMemory = (roles: readonly RoleProcess[], file: string): MemoryWatch => {
  const record = createWriteStream(file)
  record.write('process,age_s,mb\n')
  const samples = new Map(roles.map((role) => [role, [] as { mb: number; ageMs: number }[]]))
  const timer = setInterval(() => {
    for (const [role, taken] of samples) {
      const now = role.memory()
      // A lower age means that the process was restarted.
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
    if (end === null) return { check, passed: false, detail: 'unknown on this system' }
    if (first === null) return { check, passed: true, detail: `${end.toFixed(0)} MB; it ran for less than a minute` }
    return {
      check,
      passed: end <= first * MAX_GROWTH,
      detail: `${first.toFixed(0)} MB after its first minute, ${end.toFixed(0)} MB at the end (${(((end - first) / first) * 100).toFixed(0)} %)`,
    }
  })

const least = (numbers: number[]): number | null => (numbers.length === 0 ? null : Math.min(...numbers))
