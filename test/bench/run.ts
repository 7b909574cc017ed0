import { readdirSync } from 'node:fs'
import { runAll } from './all'

/** `bun run bench NAME [options]` runs test/bench/NAME.ts. Without a name it runs all benches (all.ts). */
const PARTS = ['all', 'report', 'run']

const benches = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace('.ts', ''))
  .filter((name) => !PARTS.includes(name))
const [name = '', ...options] = process.argv.slice(2)
if (name === '' || name.startsWith('--')) process.exit(await runAll(process.argv.slice(2), benches))
if (!benches.includes(name)) {
  console.error(
    `bun run bench [NAME], where NAME is one of ${benches.join(', ')}. Without NAME: all benches, in one table`,
  )
  process.exit(2)
}
const bench = Bun.spawn(['bun', `${import.meta.dir}/${name}.ts`, ...options], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await bench.exited)
