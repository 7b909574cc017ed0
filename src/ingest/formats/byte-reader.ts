/** Reads numbers of bytes from chunks. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #buffer: Uint8Array = new Uint8Array(0)
  #at = 0
  #isEnd = false

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes, valid until the next call. Null: fewer are buffered, so call `fill`. */
  take(size: number): Uint8Array | null {
    if (this.#buffer.length - this.#at < size) return null
    this.#at += size
    return this.#buffer.subarray(this.#at - size, this.#at)
  }

  /** Buffered bytes that `take` would return, after `fill`. */
  peek(size: number): Uint8Array {
    return this.#buffer.subarray(this.#at, this.#at + size)
  }

  /** The next bytes, valid until the next call. Null: fewer are left. */
  async read(size: number): Promise<Uint8Array | null> {
    return this.take(size) ?? ((await this.fill(size)) ? this.take(size) : null)
  }

  /** Reads until this many bytes are buffered. Returns whether there are that many. */
  async fill(size: number): Promise<boolean> {
    const parts = [this.#buffer.subarray(this.#at)]
    let length = this.#buffer.length - this.#at
    while (length < size && !this.#isEnd) {
      const { done, value } = await this.#chunks.next()
      if (done === true) this.#isEnd = true
      else {
        parts.push(value)
        length += value.length
      }
    }
    this.#buffer = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
    this.#at = 0
    return length >= size
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
