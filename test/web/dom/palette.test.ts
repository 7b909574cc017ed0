import { afterAll, describe, expect, test } from 'bun:test'
import { seedSampleCounty } from '../../../dev/sample-county/load'
import { findExampleParcel } from '../../../drizzle/queries/parcels/parcels'
import { createSearch } from '../../../search/search'
import { createSearchSync } from '../../../search/sync/sync'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { PATIENT } from '../../search/patient'
import { testMeilisearch, waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the command palette', async () => {
  const { app, sql, url, call, useSearch } = await createTestApp()
  await seedSampleCounty(sql, { parcels: 40, entities: 3 })
  // Without Meilisearch, a search on a busy machine ends before it has found all hits.
  const meili = { meili: testMeilisearch(), indexPrefix: `${url.split('/').at(-1)}_` }
  const sync = createSearchSync({ databaseUrl: url, ...meili })
  afterAll(() => sync.stop())
  sync.start()
  await sync.drain(30_000)
  useSearch(createSearch({ sql, ...meili, limits: PATIENT }))
  const example = await findExampleParcel(sql)
  if (example === null) throw new Error('the sample county is empty')
  const [company] = await sql<{ id: string; name: string }[]>`select id, name from entities order by name limit 1`
  /** Searches for these texts are answered when the promise resolves. */
  const answersTo = new Map<string, Promise<void>>()
  const { open, find, gone, elements, texts, type, press } = useAppInDom(async (request) => {
    await answersTo.get(new URL(request.url).searchParams.get('q') ?? '')
    return app.handle(request)
  })

  /** Opens the palette with the keyboard, and types. */
  const ask = async (text: string) => {
    await waitFor(() => {
      press(document.body, 'k', { ctrlKey: true })
      return elements('dialog.palette input').length > 0
    })
    type(await find('dialog.palette input'), text)
  }
  const choose = async (heading: string, text: string) => {
    const items = () =>
      elements('[cmdk-group]', heading)
        .filter((group) => group.querySelector('[cmdk-group-heading]')?.textContent === heading)
        .flatMap((group) => [...group.querySelectorAll<HTMLElement>('[cmdk-item]')])
        .filter((item) => item.textContent.includes(text))
    await waitFor(() => items().length > 0)
    items()[0]?.click()
    await gone('dialog.palette')
  }

  test('lists the pages that the viewer may open', async () => {
    await open('/app/coverage')
    await ask('')
    await find('[cmdk-item]', 'API reference')
    expect(texts('[cmdk-item]')).not.toContain('Lists')
    await open('/app/coverage', { key: ADMIN_KEY })
    await ask('')
    await find('[cmdk-item]', 'Search indexConsole')
    expect(texts('[cmdk-item]')).toContain('Lists')
  })

  test('finds a parcel, a company, a source, a vendor, a page and a job, and opens it', async () => {
    await open('/app/coverage', { key: ADMIN_KEY })
    const { body } = await call('/v1/scrape-jobs', {
      method: 'POST',
      body: { source: example.source, source_parcel_id: example.source_parcel_id },
    })
    const job = (body as { jobs: { id: string }[] }).jobs[0]?.id ?? ''
    const parcel = `/app/parcels/${example.source}/${example.source_parcel_id}`
    for (const [query, heading, text, path] of [
      [example.source_parcel_id, 'Parcels', example.source_parcel_id, parcel],
      [company?.name ?? '', 'Companies', company?.name ?? '', `/app/companies/${company?.id}`],
      ['larkspur', 'Sources', 'Larkspur, OR', `/app/console/sources/${example.source}`],
      ['fixture', 'Vendors', 'fixture', '/app/console/concurrency/fixture'],
      ['wat', 'Pages', 'Watches', '/app/watches'],
      [job, 'Jobs', job, `/app/console/jobs/${job}`],
    ] as const) {
      await ask(query)
      await choose(heading, text)
      await waitFor(() => location.pathname === path)
    }
  })

  test('Enter right after typing opens the target of what is typed, not one of the text before', async () => {
    await open('/app/coverage', { key: ADMIN_KEY })
    const arrives = Promise.withResolvers<void>()
    answersTo.set(example.source_parcel_id, arrives.promise)
    const [other] = await sql<{ id: string }[]>`
      select source_parcel_id as id from parcels where source_parcel_id <> ${example.source_parcel_id} order by id limit 1`
    await ask(other?.id ?? '')
    await find('[cmdk-item]', other?.id)
    const field = await find('dialog.palette input')
    type(field, example.source_parcel_id)
    press(field, 'Enter')
    expect(elements('dialog.palette')).toHaveLength(1)
    arrives.resolve()
    await waitFor(
      () => location.pathname === `/app/parcels/${example.source}/${encodeURIComponent(example.source_parcel_id)}`,
    )
    expect(elements('dialog.palette')).toEqual([])
  })

  test('compares words of any script, without accents: a name in other letters does not match each page', async () => {
    await call('/v1/sources', {
      method: 'POST',
      body: { source: 'nm-dona-ana', state: 'NM', county_name: 'Doña Ana', vendor: 'file' },
    })
    await open('/app/coverage', { key: ADMIN_KEY })
    for (const text of ['doña', 'dona']) {
      await ask(text)
      await find('[cmdk-item]', 'Doña Ana, NM')
      expect(texts('[cmdk-group-heading]')).toEqual(['Sources'])
    }
    for (const text of ['張偉', '#']) {
      type(await find('dialog.palette input'), text)
      await gone('[cmdk-item]')
    }
  })

  test('says that nothing was found', async () => {
    await open('/app/coverage', { key: ADMIN_KEY })
    await ask('coverage')
    await find('[cmdk-item]', 'Coverage')
    // Screen readers say what appears in a status that was there before.
    expect(texts('dialog.palette [role=status]')).toEqual([''])
    await ask('qqqqzzzz')
    await find('dialog.palette [role=status]', 'No matches.')
    expect(elements('[cmdk-item]')).toEqual([])
  })
})
