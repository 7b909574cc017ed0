import { createSearchSync } from '../../search/sync'
import { useComponents } from '../components'
import { readConfig } from '../config'
import { createProgress } from './progress'

/*
 * bun run search:reindex            builds the search indexes anew, beside those that answer meanwhile
 * bun run search:reindex --check    compares them with the database instead, and sends what differs
 */
const components = await useComponents(readConfig(), console.log)
if (components.meili === null) {
  console.error('there is no Meilisearch here: searches are answered by PostgreSQL, which has nothing to rebuild')
  process.exit(1)
}
const sync = createSearchSync({
  databaseUrl: components.databaseUrl,
  meili: components.meili,
  onEvent: (event) => {
    if (event.kind === 'failed') console.error(`${event.error.message}; again in ${event.retryInMs} ms`)
  },
})

if (process.argv.includes('--check')) {
  const { parcel, entity } = await sync.repair()
  console.log(`${parcel.length} parcels and ${entity.length} entities differed; they were put up for sending`)
} else {
  let progress: ReturnType<typeof createProgress> | null = null
  const startedAt = Date.now()
  const documents = await sync.rebuild((done, total) => {
    progress ??= createProgress('search index', total)
    progress.update(done)
  })
  progress ??= createProgress('search index', documents)
  progress.finish(`${documents} documents in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
}
await components.stop()
process.exit(0)
