import { parseArgs } from 'node:util'
import { ServiceError } from '../../core/service-error'
import type { Signals, TunerConfig } from '../../core/sources/tuner'
import { findTunerSettings, listTunedSignals } from '../../drizzle/queries/tuner/tuning-log'
import { decide, FRESH_STATE, type TunerState } from '../scrape/tuner/decide'
import { describeSignals } from '../scrape/tuner/describe-signals'
import { fromRecordedSignals } from '../scrape/tuner/recorded-signals'
import { keepTarget, simulate } from '../scrape/tuner/simulate'
import { runCommand, UsageError } from './command/command'
import { wholeNumber } from './command/option-values'
import { readAction } from './command/read-action'
import { useDatabase } from './command/use-database'
import { drawChart } from './terminal/chart'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE =
  wrapUsage(`bun run tuner simulate [options]     run the tuner against a simulated portal: target, throughput, refusals and failures
  --capacity 16       concurrent requests that the portal answers at full speed
  --beyond refuses    its behavior beyond that: refuses the excess (429), bans (refuses everything until Retry-After has passed), or slows
  --retry-after 60    Retry-After of its refusals in seconds; default none (60 for bans)
  --latency 500       median response time in ms
  --outage 30-40      minutes in which everything fails
  --slow 20-50x3      minutes in which it takes 3 times as long
  --start 1           first target
  --min 1, --max 128  lowest and highest target
  --step 1            smallest change of the target
  --fast 2000, --slow-threshold 8000
                      p95 in ms below which the target can rise, and above which it falls
  --window 1          how far back the tuner looks, in minutes
  --cycles 90         minutes to run
  --seed 1            seed of the random numbers
  --words             print every decision, not only those that change the target
bun run tuner simulate --log VENDOR  replay the signals in a vendor's tuning log with the current tuner`)

const MINUTE_MS = 60_000

/** Limits, so that a typo does not run for hours: `cycles` is a day, and takes 2 s with the default capacity. */
const MOST = { capacity: 1_000, target: 1_000, cycles: 1_440 }

const readNumber = (name: string, text: string, most?: number): number => wholeNumber(`--${name}`, text, 1, most)

/** `30-40`, or `20-50x3` with a factor. */
const readSpan = (name: string, text: string | undefined) => {
  if (text === undefined) return undefined
  const match = /^(\d+)-(\d+)(?:x(\d+(?:\.\d+)?))?$/.exec(text)
  if (match === null || Number(match[1]) >= Number(match[2]))
    throw new UsageError(`--${name} must be a span of minutes, such as 30-40, not "${text}"`)
  return { from: Number(match[1]) * MINUTE_MS, to: Number(match[2]) * MINUTE_MS, factor: Number(match[3] ?? 3) }
}

const readArguments = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      capacity: { type: 'string', default: '16' },
      beyond: { type: 'string', default: 'refuses' },
      latency: { type: 'string', default: '500' },
      'retry-after': { type: 'string' },
      outage: { type: 'string' },
      slow: { type: 'string' },
      start: { type: 'string', default: '1' },
      min: { type: 'string', default: '1' },
      max: { type: 'string', default: '128' },
      step: { type: 'string', default: '1' },
      fast: { type: 'string', default: '2000' },
      'slow-threshold': { type: 'string', default: '8000' },
      window: { type: 'string', default: '1' },
      cycles: { type: 'string', default: '90' },
      seed: { type: 'string', default: '1' },
      words: { type: 'boolean', default: false },
      log: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })

type Options = ReturnType<typeof readArguments>['values']

const simulatePortal = (options: Options): void => {
  const { beyond } = options
  if (beyond !== 'refuses' && beyond !== 'bans' && beyond !== 'slows')
    throw new UsageError(`--beyond must be refuses, bans or slows, not "${beyond}"`)
  const retryAfter = options['retry-after'] ?? (beyond === 'bans' ? '60' : undefined)
  const capacity = readNumber('capacity', options.capacity, MOST.capacity)
  const [outage, slow] = [readSpan('outage', options.outage), readSpan('slow', options.slow)]
  const config: TunerConfig = {
    mode: 'auto',
    minConcurrency: readNumber('min', options.min, MOST.target),
    maxConcurrency: readNumber('max', options.max, MOST.target),
    targetConcurrency: readNumber('start', options.start, MOST.target),
    stepSize: readNumber('step', options.step),
    fastThresholdMs: readNumber('fast', options.fast),
    slowThresholdMs: readNumber('slow-threshold', options['slow-threshold']),
    windowMs: readNumber('window', options.window) * MINUTE_MS,
  }
  if (config.minConcurrency > config.maxConcurrency) throw new UsageError('--min must not be greater than --max')
  if (config.fastThresholdMs > config.slowThresholdMs)
    throw new UsageError('--fast must not be greater than --slow-threshold')
  const run = {
    portal: {
      capacity,
      beyond,
      latencyMs: readNumber('latency', options.latency),
      ...(retryAfter !== undefined && { retryAfterMs: readNumber('retry-after', retryAfter) * 1_000 }),
      ...(outage && { outage }),
      ...(slow && { slow }),
    } as const,
    cycles: readNumber('cycles', options.cycles, MOST.cycles),
    cycleMs: MINUTE_MS,
    seed: readNumber('seed', options.seed),
  }
  const cycles = simulate({ ...run, config })
  const best = simulate({ ...run, config: { ...config, targetConcurrency: capacity }, policy: keepTarget })
  const total = (of: typeof cycles, part: 'done' | 'refused' | 'failed') =>
    of.reduce((sum, cycle) => sum + cycle[part], 0)
  const [done, refused, failed] = [total(cycles, 'done'), total(cycles, 'refused'), total(cycles, 'failed')]
  console.log(
    [
      drawChart(
        'target',
        cycles.map(({ target }) => target),
      ),
      drawChart(
        'done per minute',
        cycles.map(({ done }) => done),
      ),
      drawChart(
        'refused and failed per minute',
        cycles.map(({ refused, failed }) => refused + failed),
        { height: 3 },
      ),
      `${done} done, ${(done / total(best, 'done')).toFixed(2)} of a fixed ${capacity}; ${refused} refused, ${failed} failed, from the first minute on`,
    ].join('\n\n'),
  )
  for (const [minute, { target, decision }] of cycles.entries()) {
    if (options.words || decision.target !== target)
      console.log(`${minute + 1} min: ${target} → ${decision.target}  ${decision.reason}`)
  }
}

const replayLog = (vendor: string): Promise<void> =>
  useDatabase({ applicationName: 'tuner' }, async (sql) => {
    const settings = await findTunerSettings(sql, vendor)
    if (settings === null) throw new ServiceError('not_found', `there is no vendor ${vendor}`)
    const entries = await listTunedSignals(sql, vendor)
    if (entries.length === 0) return console.log(`the tuning log has no signals of ${vendor} yet`)
    let state: TunerState = FRESH_STATE
    const replayed: { target: number; signals: Signals }[] = []
    for (const { createdAt, previousTarget, newTarget, signals: recorded } of entries) {
      const signals = fromRecordedSignals(recorded)
      const decision = decide({ ...settings, mode: 'auto', targetConcurrency: previousTarget }, signals, state)
      ;({ state } = decision)
      replayed.push({ target: decision.target, signals })
      const verdict = decision.target === newTarget ? 'same as recorded' : `recorded ${newTarget}`
      console.log(
        `${createdAt}  ${previousTarget} → ${decision.target} (${verdict})  ${describeSignals(signals)}: ${decision.reason}`,
      )
    }
    const signals = replayed.map((cycle) => cycle.signals)
    const charts = [
      drawChart(
        'target, as recorded',
        entries.map(({ newTarget }) => newTarget),
      ),
      drawChart(
        'target, as replayed',
        replayed.map(({ target }) => target),
      ),
      drawChart(
        'done in the window',
        signals.map(({ done }) => done),
      ),
      drawChart(
        'refused and failed in the window',
        signals.map(({ finished, done, notFound }) => finished - done - notFound),
        { height: 3 },
      ),
    ]
    console.log(`\n${charts.join('\n\n')}`)
  })

await runCommand(async () => {
  const { values: options, positionals } = readArguments()
  if (options.help) return console.log(USAGE)
  readAction(positionals, { simulate: '' }, USAGE)
  if (options.log === undefined) simulatePortal(options)
  else await replayLog(options.log)
})
