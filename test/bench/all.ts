import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { START_ENVIRONMENT } from '../support/start-environment'
import { type Figure, REPORT_VARIABLE } from './report'

/*
 * bun run bench [--full] [--only api,jobs]
 *
 * Runs all benches one after another and puts their figures into one table, on standard output and in .data/bench/report.md. To finish
 * within half an hour, it uses the size of one county where a larger size gives similar figures. Benches with goals for a million
 * parcels (app, search, sync) run with a million. --full runs each bench at its own size.
 */
const SIZES: Record<string, string[]> = {
  crawl: ['--parcels', '50000'],
  api: ['--parcels', '100000', '--seconds', '3', '--rounds', '3'],
  boxes: ['--parcels', '100000', '--rounds', '3'],
  enqueue: ['--queued', '100000', '--requests', '50'],
  exports: ['--parcels', '100000', '--rounds', '1'],
  fairness: ['--parcels', '100000'],
  health: ['--parcels', '100000', '--jobs', '100000', '--rounds', '50'],
  jobs: ['--jobs', '5000', '--only', 'embedded,redis'],
  observability: ['--rounds', '5', '--seconds', '3'],
  relevance: ['--cases', '10', '--typed', '10', '--texts', '500', '--parcels', '10000'],
  places: ['--parcels', '100000'],
  replay: ['--pages', '2000'],
  replicas: ['--rounds', '3'],
  sync: ['--seconds', '20'],
  'tile-ranges': ['--rounds', '3'],
  tiles: ['--parcels', '100000,500000', '--rounds', '3'],
  tuner: ['--starts', '4'],
}
/** Runs the benches, whose files are given by name. Returns 1 when a bench failed or a goal was missed. */
export const runAll = async (args: string[], benches: ReadonlyMap<string, string>): Promise<number> => {
  const { values } = parseArgs({
    args,
    options: { full: { type: 'boolean', default: false }, only: { type: 'string' } },
  })
  const names = values.only?.split(',') ?? [...benches.keys()]
  const unknown = names.find((name) => !benches.has(name))
  if (unknown !== undefined) {
    console.error(`unknown bench ${unknown}; the benches are ${[...benches.keys()].join(', ')}`)
    return 2
  }
  const folder = resolve('.data/bench')
  mkdirSync(folder, { recursive: true })
  const gathered = resolve(folder, 'figures.jsonl')
  rmSync(gathered, { force: true })
  const failed: string[] = []
  for (const [index, name] of names.entries()) {
    const options = values.full ? [] : (SIZES[name] ?? [])
    console.log(`\n${index + 1} of ${names.length}: bun run bench ${[name, ...options].join(' ')}`)
    const bench = Bun.spawn(['bun', benches.get(name) ?? '', ...options], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...START_ENVIRONMENT, ...process.env, [REPORT_VARIABLE]: gathered },
    })
    if ((await bench.exited) !== 0) failed.push(name)
  }
  const figures = existsSync(gathered) ? readFigures(gathered) : []
  const text = `${describeMachine()}\n\n${toTable(figures)}\n`
  const file = resolve(folder, 'report.md')
  writeFileSync(file, text)
  console.log(`\n${text}\n${file}`)
  // A bench that misses its goals also exits with an error code, but it reports figures.
  const broken = failed.filter((name) => !figures.some(({ bench, goal }) => bench === name && goal?.met === false))
  if (broken.length > 0) console.error(`failed: ${broken.join(', ')}`)
  return failed.length > 0 || figures.some(({ goal }) => goal?.met === false) ? 1 : 0
}

const readFigures = (file: string): Figure[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure)

const describeMachine = (): string => {
  const processors = cpus()
  const osRelease = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const system = /^PRETTY_NAME="?([^"\n]+)/m.exec(osRelease)?.[1] ?? type()
  return [
    `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${(totalmem() / 1024 ** 3).toFixed(0)} GB`,
    `${system} (${type()} ${release()}), Bun ${Bun.version}, ${new Date().toISOString().slice(0, 10)}; client, service and servers share the machine`,
  ].join('\n')
}

const toTable = (figures: readonly Figure[]): string =>
  [
    '| bench | what | measured | rival or floor | goal | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...figures.map(({ bench, title, measured, rival, goal }) => {
      const verdict = goal == null ? '' : goal.met ? 'met' : 'MISSED'
      return `| ${[bench, title, measured, rival ?? '', goal?.text ?? '', verdict].join(' | ')} |`
    }),
  ].join('\n')
