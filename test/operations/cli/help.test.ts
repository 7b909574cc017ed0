import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wrapUsage } from '../../../src/cli/terminal/wrap-usage'
import { commandOf } from '../../runner/programs'

const root = mkdtempSync(join(tmpdir(), 'help-'))
afterAll(() => rmSync(root, { recursive: true }))

/** The width of a terminal in which no line of a usage wraps. */
const MAX_COLUMNS = 100

/** `ready` is for health checks of containers, and has no options. */
const commands = ['src/main.ts', ...new Bun.Glob('src/cli/*.ts').scanSync('.')]
  .filter((file) => /^await runCommand\(/m.test(readFileSync(file, 'utf8')) && file !== 'src/cli/ready.ts')
  .sort()

/** Runs a command as on a new machine: without servers, and with an empty folder for data. */
const run = async (file: string, ...args: string[]) => {
  const dir = mkdtempSync(join(root, 'data-'))
  const { DATABASE_URL, MEILI_URL, REDIS_URL, ...env } = process.env
  const command = Bun.spawn(commandOf(file, ...args), {
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...env, DATA_DIR: dir },
  })
  const [code, out, err] = await Promise.all([
    command.exited,
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code, out, err, written: readdirSync(dir) }
}

test.each(commands)('%s --help prints the usage, and starts and changes nothing', async (file) => {
  const { out, ...ended } = await run(file, '--help')
  expect(ended).toEqual({ code: 0, err: '', written: [] })
  expect(out).toMatch(/^bun (run|start) ?/)
  expect(out.split('\n').filter((line) => line.length > MAX_COLUMNS)).toEqual([])
})

test.each([
  'keys create',
  'keys revoke',
  'keys revoke all',
  'keys create front end',
  'keys list --enqueue',
  'accounts promote',
  'accounts promote ada',
  'accounts plan ada@larkspur.example',
  'accounts plan ada@larkspur.example gold',
  'jobs show',
  'jobs list error',
  'loads apply',
  'loads list held',
  'sample --out - --entities 5',
  'tuner simulate --cycles 1000000',
  'adapter crawl one two',
  'adapter try vgsi --parcel 1 --base-url portal',
  'export parcels.csv',
  'export --format csv src',
  'export --format csv --bbox 500,2,3,100 a.csv',
  'export --format csv --bbox 1,2,3, a.csv',
  'export --format csv --min-value 5 --max-value 3 a.csv',
  'export --format csv --retired --include-retired a.csv',
  'tiles-build --min-acres=-1',
  'ingest parcels',
  'adapter prove or-larkspur',
  'adapter new Bad-Name',
  'adapter try vgsi --parcel 1 --base-url https://portal.example --overrides {',
  'ingest parcels --source elm --crs 99 README.md',
  'ingest parcels --preview --encoding klingon README.md',
  'ingest roll --source elm --join PIN --encoding klingon README.md',
  'ingest entities --jurisdiction OR --encoding klingon README.md',
])('%s is refused before a server starts, because an argument is missing or invalid', async (line) => {
  const [name, ...args] = line.split(' ')
  const { err, ...ended } = await run(`src/cli/${name}.ts`, ...args)
  expect(ended).toEqual({ code: 2, out: '', written: [] })
  expect(err).not.toBe('')
})

test.each([
  ['keys create front end', 'unexpected argument "end": create takes only NAME; put quotes around text with spaces'],
  ['keys create', 'NAME is missing: create NAME'],
  ['jobs watch all', 'unexpected argument "all": watch takes no arguments'],
  ['jobs frob', '"frob" is not one of list, show, retry, cancel, watch'],
  ['adapter export', 'FOLDER is missing: export FOLDER [SOURCE...]'],
  ['ingest', 'ingest takes parcels, roll or entities'],
  ['doctor all', 'unexpected argument "all": this command takes only options. --help lists them'],
  ['jobs list --status', '--status needs a value. --help lists the options'],
  ['jobs list --bogus', 'unknown option --bogus. --help lists the options'],
  ['jobs list --help=yes', '--help takes no value'],
  [
    'export --format csv --min-acres -1',
    '--min-acres needs a value. Write a value that begins with - as --min-acres=-1. --help lists the options',
  ],
])('the last line of %s says what is wrong', async (line, says) => {
  const [name, ...args] = line.split(' ')
  const { code, err } = await run(`src/cli/${name}.ts`, ...args)
  expect({ code, last: err.trimEnd().split('\n').at(-1) }).toEqual({ code: 2, last: says })
})

test('a long description in a usage continues below its first word, and other text at the margin', () => {
  const words = Array.from({ length: 12 }, () => 'ten-letter').join(' ')
  expect(wrapUsage(`  --option NAME  ${words}\n${words}`)).toBe(
    [
      `  --option NAME  ${words.slice(0, 76)}`,
      `                 ${words.slice(77)}`,
      words.slice(0, 98),
      words.slice(99),
    ].join('\n'),
  )
})

test.each([
  { file: 'src/cli/loads.ts', args: ['list'] },
  { file: 'src/cli/jobs.ts', args: ['list'] },
  { file: 'src/cli/export.ts', args: ['--format', 'csv', 'elm.csv'] },
  { file: 'src/cli/keys.ts', args: ['list'] },
  { file: 'src/cli/accounts.ts', args: ['list'] },
  { file: 'src/cli/tuner.ts', args: ['simulate', '--log', 'vgsi'] },
  { file: 'src/cli/adapter.ts', args: ['replay', 'elm'] },
  { file: 'src/cli/reindex.ts', args: [] },
  { file: 'src/cli/tiles-build.ts', args: [] },
  { file: 'src/cli/doctor.ts', args: [] },
])('$file in a folder without data says so, and does not create a database there', async ({ file, args }) => {
  const { code, out, err, written } = await run(file, ...args)
  expect(code).toBe(1)
  expect(`${out}${err}`).toContain('has no data of a service: set DATA_DIR or DATABASE_URL')
  expect(written).toEqual([])
})
