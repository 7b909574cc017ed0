/** Where the next page of a list starts: a query parameter of the next request. Null: this was the last page. */
export type NextAfter = string | number | null

export interface FetchedPage<Row, Page> {
  page: Page
  rows: readonly Row[]
  next: NextAfter
}

/**
 * A list that the service returns page by page. `await list` gets the first page; `for await (const row of list)` reads the rows of
 * all pages, one request at a time, until you stop; `list.pages()` reads whole pages.
 */
export class Pages<Row, Page> implements Promise<Page>, AsyncIterable<Row> {
  readonly [Symbol.toStringTag] = 'Pages'
  readonly #fetch: (after: NextAfter) => Promise<FetchedPage<Row, Page>>

  constructor(fetch: (after: NextAfter) => Promise<FetchedPage<Row, Page>>) {
    this.#fetch = fetch
  }

  // biome-ignore lint/suspicious/noThenProperty: `await` gets the first page
  then<Fulfilled = Page, Rejected = never>(
    onFulfilled?: ((page: Page) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#fetch(null)
      .then(({ page }) => page)
      .then(onFulfilled, onRejected)
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page | Rejected> {
    return this.then(null, onRejected)
  }

  finally(onFinally?: (() => void) | null): Promise<Page> {
    return this.then().finally(onFinally)
  }

  async *pages(): AsyncGenerator<Page, undefined> {
    for await (const { page } of this.#all()) yield page
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, undefined> {
    for await (const { rows } of this.#all()) yield* rows
  }

  async *#all(): AsyncGenerator<FetchedPage<Row, Page>, undefined> {
    for (let after: NextAfter = null; ; ) {
      const fetched: FetchedPage<Row, Page> = await this.#fetch(after)
      yield fetched
      after = fetched.next
      if (after === null) return
    }
  }
}
