import { createRandom } from '../../core/seeded-random'

/**
 * Seeded random numbers: the same key gives the same numbers on every machine. The key is mixed with the finalizer of MurmurHash3
 * (Austin Appleby, public domain).
 */
export class Random {
  /** From 0 up to, but not including, 1. */
  readonly next: () => number

  constructor(...key: number[]) {
    let seed = 0
    for (const part of key) {
      let hash = Math.imul(seed, 0x9e3779b1) ^ part
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
      seed = (hash ^ (hash >>> 16)) + 0x9e3779b9
    }
    this.next = createRandom(seed)
  }

  /** An integer from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)] as Item
  }

  /** Picks from a list, preferring the first items. */
  pickCommon<Item>(list: readonly Item[]): Item {
    return list[Math.floor(this.next() ** 2 * list.length)] as Item
  }
}
