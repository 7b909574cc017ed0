import type { ParcelInput } from '../../../drizzle/records'
import { drawQueries, type KnownItem } from './queries'
import { type Answer, type Ask, askRaw, askService, askTrigrams } from './rivals'
import { loadRoll, readEntries } from './roll'
import { type BenchServers, startService, waitForVocabulary } from './servers'
import { mean } from './statistics'

const DEPTH = 10
/** Goals for classes where beating the best rival is not enough. */
const LEAST: Record<string, number> = {
  'owner name, 2 typos': 0.95,
  'address, 1 typo': 0.87,
  '4 letters of name + number': 0.85,
  'parcel id': 1,
}

export interface RelevanceOptions {
  seed: number
  queries: number
  /** Run only classes whose title contains this. */
  only: string
  /** Print queries whose item was not the first hit. */
  misses: boolean
}

/** Measures MRR@10 of known-item queries on a roll, for the service and its rivals. Prints a table and returns the missed goals. */
export const measureRelevance = async (
  servers: BenchServers,
  parcels: readonly ParcelInput[],
  { seed, queries, only, misses }: RelevanceOptions,
): Promise<string[]> => {
  await loadRoll(servers, parcels)
  const roll = readEntries(parcels)
  const service = await startService(servers)
  try {
    await waitForVocabulary(service, roll)
    const rivals: Record<string, Ask> = {
      raw: askRaw(servers.meili),
      pg_trgm: askTrigrams(servers.sql),
      ours: askService(service, ({ kind }) => (kind === 'entity' ? 'entities' : 'parcels')),
    }
    console.log(`\nRelevance: MRR@${DEPTH}, ${parcels.length} parcels, seed ${seed}\n`)
    console.log('| class | queries | raw Meilisearch | pg_trgm | ours | |\n|---|---|---|---|---|---|')
    const shortfalls: string[] = []
    for (const [title, items] of drawQueries(roll, seed, queries)) {
      if (!title.includes(only) || items.length === 0) continue
      const scores = new Map<string, number[]>()
      for (const [name, ask] of Object.entries(rivals)) {
        const ofRival: number[] = []
        for (const item of items) {
          const answer = item.q === '' ? [] : await ask(item, DEPTH)
          ofRival.push(reciprocalRank(item, answer))
          if (misses && name === 'ours' && ofRival.at(-1) !== 1) {
            console.log(`   "${item.q}" is ${item.wanted}, first ${answer[0]?.ownerName} | ${answer[0]?.situsAddress}`)
          }
        }
        scores.set(name, ofRival)
      }
      const of = (name: string) => scores.get(name) ?? []
      const verdict = judge(title, of('ours'), Math.max(mean(of('raw')), mean(of('pg_trgm'))))
      if (verdict.startsWith('SHORT')) shortfalls.push(`relevance, ${title}: ${verdict}`)
      const cells = [title, items.length, ...Object.keys(rivals).map((name) => mean(of(name)).toFixed(3)), verdict]
      console.log(`| ${cells.join(' | ')} |`)
    }
    return shortfalls
  } finally {
    await service.stop()
  }
}

const reciprocalRank = (item: KnownItem, answer: Answer): number => {
  const place = answer.findIndex((hit) => item.accept(hit))
  return place < 0 ? 0 : 1 / (place + 1)
}

/** A score less than two standard errors behind the best rival counts as level with it. */
const judge = (title: string, ours: readonly number[], best: number): string => {
  const score = mean(ours)
  const error = Math.sqrt(mean(ours.map((one) => (one - score) ** 2)) / ours.length)
  const least = LEAST[title] ?? 0
  if (score < least) return `SHORT of ${least}`
  if (score < best - 2 * error) return `SHORT of ${best.toFixed(3)}`
  return score < best ? 'within 2 s.e.' : ''
}
