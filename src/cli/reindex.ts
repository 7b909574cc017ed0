import { parseArgs } from 'node:util'
import { MeilisearchError } from 'meilisearch'
import { describeTransient, isTransient } from '../../core/postgres/transient-errors'
import { ServiceError } from '../../core/service-error'
import { countNoun } from '../../core/text/count-noun'
import { migrate, NEWER_SCHEMA } from '../../drizzle/migrate'
import { createSearchSync } from '../../search/sync/sync'
import { readConfig } from '../config'
import { useComponents } from '../roles/components'
import { runCommand } from './command/command'
import { createProgress, type Progress } from './terminal/progress'
import { wrapUsage } from './terminal/wrap-usage'

const USAGE =
  wrapUsage(`bun run search:reindex [options]      rebuild the search indexes while searches use the current ones

  --check                 compare them with the database instead, print the differences, and queue the documents to be sent again; exits with code 3 if there are differences
  --instance HOST:PORT    one instance of Meilisearch (MEILI_URLS) instead of all, one after the other`)

const EXIT_DIFFERED = 3

const nameServer = (error: unknown): never => {
  if (!(error instanceof MeilisearchError)) throw error
  const advice = 'Check that Meilisearch runs, and that MEILI_URL and MEILI_MASTER_KEY are right'
  throw new ServiceError('search_unavailable', `${error.message.replace(/\.$/, '')}. ${advice}`, { cause: error })
}

/** The messages of Meilisearch's client name the server; those of a lost connection to PostgreSQL do not. */
const describeProblem = (error: Error): string =>
  !(error instanceof MeilisearchError) && isTransient(error)
    ? `${describeTransient(error)} (${error.message})`
    : error.message

await runCommand(async () => {
  const { values: options } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      instance: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(USAGE)
  const { databaseUrl, meili, stop } = await useComponents(readConfig(), console.error, { needsData: true })
  try {
    if (meili === null) {
      throw new ServiceError(
        'search_unavailable',
        'there is no Meilisearch here: PostgreSQL answers searches, and it has no index to rebuild',
      )
    }
    if (!(await migrate(databaseUrl))) console.error(NEWER_SCHEMA)
    const sync = createSearchSync({
      databaseUrl,
      meili,
      onEvent: (event) => {
        if (event.kind === 'failed') console.error(`${describeProblem(event.error)}; retry in ${event.retryInMs} ms`)
      },
    })
    if (options.check) {
      const { parcels, entities, examples, durationMs } = await sync.repair(options.instance).catch(nameServer)
      for (const { kind, id, how } of examples) console.log(`${kind} ${id} ${how}`)
      if (parcels + entities > examples.length) console.log(`and ${parcels + entities - examples.length} more`)
      const found =
        parcels + entities === 0
          ? 'the index matches the database'
          : `${countNoun(parcels, 'parcel')} and ${countNoun(entities, 'entity', 'entities')} differ; the sync role sends them again`
      console.log(`${found} (${(durationMs / 1000).toFixed(1)} s)`)
      if (parcels + entities > 0) process.exitCode = EXIT_DIFFERED
      return
    }
    const startedAt = Date.now()
    let progress: Progress | null = null
    let shown: string | null = null
    const isOne = sync.status().instances.length === 1
    const documents = await sync
      .rebuild((done, total, instance) => {
        if (shown !== instance) progress = createProgress(isOne ? 'search index' : `search index ${instance}`, total)
        shown = instance
        progress?.update(done)
      }, options.instance)
      .catch(nameServer)
    const last: Progress = progress ?? createProgress('search index', documents)
    last.finish(`${countNoun(documents, 'document')} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  } finally {
    await stop()
  }
})
