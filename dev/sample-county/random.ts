/**
 * Seeded random numbers: the same key gives the same numbers on every machine. The generator is mulberry32 (Tommy Ettinger,
 * public domain); the key is mixed with the finalizer of MurmurHash3 (Austin Appleby, public domain).
 */
export class Random {
  private state = 0

  constructor(...key: number[]) {
    for (const part of key) {
      let hash = Math.imul(this.state, 0x9e3779b1) ^ part
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
      this.state = (hash ^ (hash >>> 16)) + 0x9e3779b9
    }
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
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
