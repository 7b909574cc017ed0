import { describe, expect, test } from 'bun:test'
import { ALL_STATES } from '../../../../core/state-set'
import { recordCheck, subjectOf } from '../../../../drizzle/queries/search/search-index-work'
import { ADMIN_KEY, createTestApp } from '../../../http/test-app'
import { useAppInDom } from '../open-app'

describe('the page of the search index', async () => {
  let documents: number | null = 5_300
  const { app, sql } = await createTestApp({
    indexedInstances: [
      { name: 'meilisearch:7700', states: ALL_STATES, queue: null, countDocuments: async () => documents },
    ],
  })
  await recordCheck(sql, subjectOf(null), { missing: 0, extra: 0, different: 0, durationMs: 100 })
  const { open, find, elements } = useAppInDom(app.handle)

  test('while Meilisearch responds, it says that the index and the database agree', async () => {
    await open('/app/console/search-index', { key: ADMIN_KEY })
    await find('.notice.good', 'The index and the database agree.')
    await find('.figure', '5,300')
  })

  test('while Meilisearch does not respond, it says so, and the last check is shown with its age and not in green', async () => {
    documents = null
    await sql`update work set started_at = now() - interval '14 minutes', finished_at = now() - interval '13 minutes'`
    await open('/app/console/search-index', { key: ADMIN_KEY })
    await find('.notice.bad', 'Meilisearch does not respond (meilisearch:7700).')
    await find('.figure.bad', 'no response')
    await find('.notice', 'The last check was 13 minutes ago: the index and the database agreed.')
    expect(elements('.notice.good')).toHaveLength(0)
  })
})
