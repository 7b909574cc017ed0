import { readdirSync } from 'node:fs'

/** `bun run bench NAME [options]`: runs test/bench/NAME.ts. */
const benches = readdirSync(import.meta.dir)
  .filter((file) => file.endsWith('.ts') && !/-floor|-rival|-server|^run\.ts$/.test(file))
  .map((file) => file.replace('.ts', ''))
const [name = '', ...options] = process.argv.slice(2)
if (!benches.includes(name)) {
  console.error(`bun run bench NAME, NAME one of ${benches.join(', ')}`)
  process.exit(2)
}
const bench = Bun.spawn(['bun', `${import.meta.dir}/${name}.ts`, ...options], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(await bench.exited)
