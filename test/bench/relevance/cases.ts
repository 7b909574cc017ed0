import { Random } from '../../../dev/sample-county/random'
import type { Query } from './engine'
import { KINDS, type Kind } from './kinds'
import type { Entry, Roll } from './roll'

/** One query, and the records that answer it. */
export interface Case extends Omit<Query, 'limit'> {
  accepts: (hit: Entry) => boolean
}

/** The shortest query that the service accepts. */
const MIN_CHARACTERS = 2

/** Up to `count` queries per kind for each seed, without repeated ones. The same roll and seeds give the same queries. */
export const drawCases = (
  roll: Roll,
  { count, seeds, kinds = KINDS }: { count: number; seeds: readonly number[]; kinds?: readonly Kind[] },
): Map<Kind, Case[]> => {
  const drawn = new Map<Kind, Map<string, Case>>(kinds.map((kind) => [kind, new Map()]))
  for (const seed of seeds) {
    const orders = {
      parcels: shuffle(new Random(seed, 0), roll.parcels),
      companies: shuffle(new Random(seed, 1), roll.companies),
    }
    for (const [kind, cases] of drawn) {
      // By title, so that a new kind does not change the queries of the others.
      const random = new Random(seed, Bun.hash.xxHash32(kind.title))
      const most = cases.size + count
      for (const entry of orders[kind.of ?? 'parcels']) {
        if (cases.size >= most) break
        const made = kind.make(entry, random, roll)?.trim() ?? ''
        if (made.length >= MIN_CHARACTERS && !cases.has(made)) cases.set(made, createCase(kind, made, entry))
      }
    }
  }
  return new Map([...drawn].map(([kind, cases]) => [kind, [...cases.values()]]))
}

const createCase = (kind: Kind, q: string, entry: Entry): Case => ({
  q,
  kind: kind.of ?? 'parcels',
  ...(kind.near === true ? { near: { lat: entry.lat, lon: entry.lon } } : {}),
  accepts: (hit) => kind.accepts(hit, entry, q),
})

const shuffle = <Item>(random: Random, items: readonly Item[]): Item[] => {
  const shuffled = [...items]
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = random.below(index + 1)
    const [a, b] = [shuffled[index] as Item, shuffled[other] as Item]
    shuffled[index] = b
    shuffled[other] = a
  }
  return shuffled
}
