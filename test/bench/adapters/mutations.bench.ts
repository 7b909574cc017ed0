import { parseArgs } from 'node:util'
import { loadAdapter } from '../../../adapters/load-adapter'
import { ADAPTERS } from '../../../adapters/registry'
import { cutPages, type MutationResult, runMutations } from '../../adapters/mutations/run-mutations'
import { atMost, report } from '../report'

/**
 * `bun run bench mutations [COUNT] [--seed N] [--cuts N] [--vendor NAME]`: changes the structure of every adapter's pages, COUNT times in
 * all (default 12,000), and counts the values that are then read wrong without an error. Then it cuts every page at N places (default
 * 20; 200 takes a minute), and counts what is lost without an error. Both counts must be 0.
 */
const MAX_SHOWN = 100

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '20' },
    cuts: { type: 'string', default: '20' },
    vendor: { type: 'string' },
  },
})
const total = Number(positionals[0] ?? 12_000)
const [seed, cuts] = [Number(values.seed), Number(values.cuts)]
const perVendor = Math.ceil(total / ADAPTERS.length)

const mutated: MutationResult[] = []
const cut: MutationResult[] = []
for (const adapter of values.vendor === undefined ? ADAPTERS : [await loadAdapter(values.vendor)]) {
  mutated.push(await runMutations(adapter, perVendor, seed))
  cut.push(await cutPages(adapter, cuts, seed))
}
for (const { vendor, tried, refused, wrong } of mutated) {
  console.log(`${vendor.padEnd(28)} ${tried} mutated, ${refused} refused, ${wrong.length} wrong`)
}
const all = [...mutated, ...cut]
const wrong = mutated.flatMap((result) => result.wrong)
const lost = all.flatMap((result) => result.lost)
for (const line of [...wrong, ...lost].slice(0, MAX_SHOWN)) console.log(line)
const sum = (results: readonly MutationResult[], count: (result: MutationResult) => number) =>
  results.reduce((before, one) => before + count(one), 0)
const [changes, cutOff] = [sum(mutated, ({ tried }) => tried), sum(cut, ({ tried }) => tried)]
console.log(
  `${changes} mutations, ${sum(mutated, ({ refused }) => refused)} refused, ${wrong.length} silently wrong ` +
    `(and ${mutated.flatMap(({ unknowable }) => unknowable).length} that no reader could know); ${cutOff} pages cut off, ${sum(cut, ({ refused }) => refused)} refused, ${lost.length} accepted with a loss`,
)
report({
  bench: 'mutations',
  title: 'values read silently wrong from pages of another structure',
  measured: `${wrong.length} of ${changes}`,
  goal: atMost(wrong.length, 0),
})
report({
  bench: 'mutations',
  title: 'values lost silently from pages that were cut off',
  measured: `${lost.length} of ${cutOff}`,
  goal: atMost(lost.length, 0),
})
process.exit(wrong.length + lost.length === 0 ? 0 : 1)
