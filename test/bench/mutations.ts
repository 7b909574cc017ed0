import { ADAPTERS } from '../../adapters/registry'
import { type MutationResult, runMutations } from '../adapters/mutations/run-mutations'
import { atMost, report } from './report'

/**
 * `bun run bench mutations [COUNT]`: changes the structure of every adapter's pages, COUNT times in all (default 6,000), and counts the
 * values that are then read wrong without an error. The count must be 0.
 */
const MAX_SHOWN = 100
const SEED = 20

const total = Number(process.argv[2] ?? 6_000)
const results: MutationResult[] = []
for (const adapter of ADAPTERS) results.push(await runMutations(adapter, Math.ceil(total / ADAPTERS.length), SEED))
for (const { vendor, tried, refused, wrong } of results) {
  console.log(`${vendor.padEnd(28)} ${tried} mutated, ${refused} refused, ${wrong.length} wrong`)
}
const sum = (count: (result: (typeof results)[number]) => number) => results.reduce((all, one) => all + count(one), 0)
const wrong = results.flatMap((result) => result.wrong)
for (const line of wrong.slice(0, MAX_SHOWN)) console.log(line)
console.log(
  `${sum(({ tried }) => tried)} mutations, ${sum(({ refused }) => refused)} refused, ${wrong.length} silently wrong`,
)
report({
  bench: 'mutations',
  title: 'values read silently wrong from pages of another structure',
  measured: `${wrong.length} of ${sum(({ tried }) => tried)}`,
  goal: atMost(wrong.length, 0),
})
process.exit(wrong.length === 0 ? 0 : 1)
