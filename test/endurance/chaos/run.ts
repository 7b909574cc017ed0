import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCommand, UsageError } from '../../../src/cli/command/command'
import type { Scenario } from './scenario'
import { type Outcome, runScenario } from './stack'

/*
 * bun run chaos [NAME ...] [--rounds 1] [--keep]
 *
 * Runs every scenario of faults/, or those named, one after the other, and prints how long the service took to recover from each.
 * Code 1 if a promise or the audit failed. --keep keeps the logs of all scenarios; those of failed ones are always kept.
 */
const FAULTS = join(import.meta.dir, 'faults')

export const listScenarios = (): string[] =>
  readdirSync(FAULTS)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()

export const loadScenario = async (name: string): Promise<Scenario> => {
  const { scenario } = (await import(join(FAULTS, `${name}.ts`))) as { scenario: Scenario }
  return scenario
}

const chaos = async (names: readonly string[], rounds: number, keep: boolean): Promise<boolean> => {
  const startedAt = performance.now()
  const failed: string[] = []
  const table: string[] = []
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      const scenario = await loadScenario(name)
      const begunAt = performance.now()
      console.log(`\n${name}: ${scenario.promise}`)
      const outcome = await runScenario(name, scenario, { say: (line) => console.log(`  ${line}`), keep })
      const problems = outcome.findings.filter(({ passed }) => !passed)
      for (const { check, detail } of problems) console.log(`  FAILED ${check}: ${detail}`)
      if (problems.length > 0) {
        failed.push(name)
        console.log(`  logs in ${outcome.dir}`)
      }
      table.push(describe(name, outcome, problems.length === 0, performance.now() - begunAt))
    }
  }
  console.log(`\n${table.join('\n')}`)
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  const runs = names.length * rounds
  console.log(`\n${runs - failed.length} passed, ${failed.length} failed`)
  console.log(`${runs} scenarios in ${minutes} min${failed.length === 0 ? '' : `; failed: ${failed.join(', ')}`}`)
  return failed.length === 0
}

/** One line per scenario: passed or failed, its length, and each recovery with its limit. */
const describe = (name: string, { recoveries }: Outcome, passed: boolean, ms: number): string => {
  const seconds = (value: number) => `${(value / 1_000).toFixed(1)} s`
  const times = recoveries.map(({ what, ms: took, withinMs }) => `${what} ${seconds(took)} (limit ${withinMs / 1_000})`)
  return `${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(32)} ${seconds(ms).padStart(7)}  ${times.join('; ')}`
}

if (import.meta.main) {
  await runCommand(async () => {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { rounds: { type: 'string', default: '1' }, keep: { type: 'boolean', default: false } },
    })
    const known = listScenarios()
    const unknown = positionals.find((name) => !known.includes(name))
    const rounds = Number(values.rounds)
    if (unknown !== undefined || !(rounds >= 1)) {
      throw new UsageError(
        `bun run chaos [NAME ...] [--rounds N] [--keep]${unknown ? `: no scenario ${unknown}` : ''}; scenarios: ${known.join(', ')}`,
      )
    }
    if (!(await chaos(positionals.length > 0 ? positionals : known, rounds, values.keep))) process.exitCode = 1
    // Sockets of broken connections would keep the process for minutes.
    process.exit()
  })
}
