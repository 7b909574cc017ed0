import { Random } from '../../../dev/sample-county/random'
import { standardizeWord } from '../../../search/query/address'
import { normalizeName } from '../../../search/query/text'
import { type Case, drawCases } from './cases'
import type { Engine } from './engine'
import { KINDS, type Kind } from './kinds'
import { misspellWord } from './misspell'
import { type Entry, type Roll, wordsOf } from './roll'

const DEPTH = 10
const TOP = 5

/** The ids of hits as records. */
export type FindEntry = (id: string) => Entry | undefined

export const entryFinder = ({ parcels, companies }: Roll): Record<'parcels' | 'companies', FindEntry> => {
  const byId = (entries: readonly Entry[]) => {
    const map = new Map(entries.map((entry) => [entry.id, entry]))
    return (id: string) => map.get(id)
  }
  return { parcels: byId(parcels), companies: byId(companies) }
}

/** The place of the first accepted hit, from 1. Null: it is not among the first `depth`. */
const findPlace = async (
  engine: Engine,
  roll: ReturnType<typeof entryFinder>,
  one: Case,
  depth: number,
): Promise<number | null> => {
  const { accepts, ...query } = one
  const ids = await engine.search({ ...query, limit: depth })
  const find = roll[query.kind ?? 'parcels']
  const index = ids.findIndex((id) => {
    const hit = find(id)
    return hit !== undefined && accepts(hit)
  })
  return index < 0 ? null : index + 1
}

/** 1 / place of the first accepted hit of each case, 0 when it is not among the first ten. */
export const measureRanks = async (engine: Engine, roll: Roll, cases: readonly Case[]): Promise<number[]> => {
  const finder = entryFinder(roll)
  const ranks: number[] = []
  for (const one of cases) {
    const place = await findPlace(engine, finder, one, DEPTH)
    ranks.push(place === null ? 0 : 1 / place)
  }
  return ranks
}

export const share = (ranks: readonly number[], least: number): number =>
  ranks.filter((rank) => rank >= least).length / Math.max(1, ranks.length)

/** Letters typed until the record is first among the first five, and until it stays there. */
export interface Keystrokes {
  firstSeen: number[]
  stays: number[]
}

export const TYPED_KINDS = ['owner', 'first name first', 'address', 'parcel id'] as const

/** Types each query letter by letter. A record that is never seen counts as one letter more than the query has. */
export const measureKeystrokes = async (engine: Engine, roll: Roll, cases: readonly Case[]): Promise<Keystrokes> => {
  const finder = entryFinder(roll)
  const keystrokes: Keystrokes = { firstSeen: [], stays: [] }
  for (const one of cases) {
    let [firstSeen, stays]: [number | null, number | null] = [null, null]
    const letters = [...one.q]
    for (let typed = 2; typed <= letters.length; typed++) {
      const q = letters.slice(0, typed).join('')
      // A space at the end is trimmed, so the hits are the same as for the text before it.
      if (q.endsWith(' ')) continue
      const isSeen = (await findPlace(engine, finder, { ...one, q }, TOP)) !== null
      if (isSeen) {
        firstSeen ??= typed
        stays ??= typed
      } else stays = null
    }
    keystrokes.firstSeen.push(firstSeen ?? letters.length + 1)
    keystrokes.stays.push(stays ?? letters.length + 1)
  }
  return keystrokes
}

export interface Corrections {
  /** Texts of indexed words, and how many of them were "corrected". */
  correct: number
  corrected: number
  /** Texts with one misspelled word: how many were corrected to the original, to something else, and not at all. */
  misspelt: number
  right: number
  wrong: number
  none: number
  /** Wrong corrections: from → to. Do not publish those of a real roll. */
  examples: string[]
}

/** Kinds whose queries consist of words in the records. */
const CORRECT_KINDS = [
  'owner',
  'address',
  'owner + city',
  'address + city',
  'first name first',
  'owner + street',
  'street alone',
  'parcel id',
  'parcel id without punctuation',
  '"apn ID"',
  '"parcel ID"',
  'address + ZIP',
  'PO box',
  'owner, last word cut at 70%',
]
const MISSPELT_KINDS = ['owner', 'address', 'owner + city', 'address + city', 'first name first']

export const measureCorrections = async (
  engine: Engine,
  roll: Roll,
  { count, seed }: { count: number; seed: number },
): Promise<Corrections> => {
  const correct = engine.correct
  if (correct === undefined) throw new Error('this engine reports no corrections')
  const found: Corrections = { correct: 0, corrected: 0, misspelt: 0, right: 0, wrong: 0, none: 0, examples: [] }
  for (const q of drawTexts(roll, CORRECT_KINDS, count, seed)) {
    const corrected = await correct(q)
    found.correct++
    if (corrected === null) continue
    found.corrected++
    found.examples.push(`correct: ${q} → ${corrected}`)
  }
  const random = new Random(seed, 2)
  for (const q of drawTexts(roll, MISSPELT_KINDS, 2 * count, seed + 1)) {
    if (found.misspelt >= count) break
    const typed = misspellWord(random, q, (word) => roll.words.has(word))
    if (typed === null) continue
    found.misspelt++
    const corrected = await correct(typed)
    if (corrected === null) found.none++
    else if (isSameText(corrected, q)) found.right++
    else {
      found.wrong++
      found.examples.push(`misspelt: ${typed} → ${corrected}, not ${q}`)
    }
  }
  return found
}

/** The same number of texts of each kind, as far as the roll has them. */
const drawTexts = (roll: Roll, titles: readonly string[], count: number, seed: number): string[] => {
  const kinds = KINDS.filter(({ title }) => titles.includes(title))
  const lists = [...drawCases(roll, { count, seeds: [seed], kinds }).values()]
  const texts = new Set<string>()
  for (let place = 0; place < count && texts.size < count; place++) {
    for (const cases of lists) {
      const q = cases[place]?.q
      if (q !== undefined && texts.size < count) texts.add(q)
    }
  }
  return [...texts]
}

/** Whether both have the same words in any order, in the spelling of the post office, which corrections use. */
const isSameText = (one: string, other: string): boolean => normalize(one) === normalize(other)
const normalize = (text: string): string => wordsOf(normalizeName(text)).map(standardizeWord).toSorted().join(' ')

export const findKinds = (pattern: string): Kind[] => {
  const wanted = pattern.split(',').map((part) => part.trim().toLowerCase())
  return KINDS.filter(({ title }) => wanted.some((part) => title.toLowerCase().includes(part)))
}
