import { connectDatabase } from '../../../core/postgres/database'
import { createPageKeeper } from '../../../src/scrape/pages/keep-pages'
import { createPageStore } from '../../../src/scrape/pages/page-store'

/* A program for keep-pages.test.ts: keeps pages of the source `elm` until it is killed. */

const [url = '', folder = ''] = process.argv.slice(2)
const sql = connectDatabase(url, { max: 2 })
const keeper = createPageKeeper({ sql, store: createPageStore(folder), maxBytes: 1024 ** 3 })
for (let number = 0; ; number++) {
  keeper.keep({
    source: 'elm',
    sourceParcelId: `killed-${number % 40}`,
    answers: [
      {
        name: 'property',
        asked: { method: 'GET', url: 'https://portal.example/' },
        url: 'https://portal.example/',
        status: 200,
        headers: {},
        body: `${number} `.repeat(20_000),
      },
    ],
    answeredAt: [new Date().toISOString()],
    adapter: 'test',
    overrides: {},
    failure: null,
  })
  await Bun.sleep(1)
}
