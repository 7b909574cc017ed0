import { basename } from 'node:path'
import { START_ENVIRONMENT } from '../support/start-environment'
import { runAll } from './all'

/** `bun run bench NAME [options]` runs test/bench/TOPIC/NAME.bench.ts. Without a name it runs all benches (all.ts). */
const SUFFIX = '.bench.ts'

const benches = new Map(
  [...new Bun.Glob(`*/*${SUFFIX}`).scanSync({ cwd: import.meta.dir, absolute: true })]
    .map((file) => [basename(file, SUFFIX), file] as const)
    .sort(([one], [other]) => one.localeCompare(other)),
)
const USAGE = `bun run bench [NAME], where NAME is one of ${[...benches.keys()].join(', ')}. Without NAME: all benches, in one table`
const [name = '', ...options] = process.argv.slice(2)
if (name === '--help') {
  console.log(USAGE)
  process.exit()
}
if (name === '' || name.startsWith('--')) process.exit(await runAll(process.argv.slice(2), benches))
const file = benches.get(name)
if (file === undefined) {
  console.error(USAGE)
  process.exit(2)
}
const bench = Bun.spawn(['bun', file, ...options], {
  stdio: ['inherit', 'inherit', 'inherit'],
  env: { ...START_ENVIRONMENT, ...process.env },
})
process.exit(await bench.exited)
