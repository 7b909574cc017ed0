import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { parseFieldMap } from '../../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../../src/ingest/fields/fields'
import { ingestParcels } from '../../../../src/ingest/ingest'
import { createLoadRunner } from '../../../../src/work/load-runner'
import { takeWork } from '../../../../src/work/take-work'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../../http/test-app'
import { inFolder, writeFixture } from '../../../ingest/files/write-fixture'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { useAppInDom } from '../open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe('loads in the console', async () => {
  const { app, sql, call } = await createTestApp()
  const log = pino({ level: 'silent' })
  const { open, find, gone, elements, texts, type } = useAppInDom(app.handle)
  const click = async (selector: string, text = '') => (await find(selector, text)).click()
  const PARCELS = 40

  /** Loads a list of parcels, numbered from 1, without the first `missing` of them. */
  const ingest = async (source: string, name: string, { missing = 0, zoning = 'R-7' as string | null } = {}) => {
    const rows = Array.from({ length: PARCELS - missing }, (_, index) => ({
      ...{
        source_parcel_id: String(missing + index + 1).padStart(2, '0'),
        owner_name: 'ALDER ROSE',
        zoning_code: zoning,
      },
    }))
    const features = rows.map((properties) => JSON.stringify({ type: 'Feature', properties, geometry: null }))
    const { load } = await ingestParcels(sql, source, {
      ...{ file: writeFixture(name, features.join('\n')), map: parseFieldMap('', PARCEL_FIELDS), isComplete: true },
      rejectsFile: inFolder('loads-page.rejects.csv'),
    })
    return { id: load?.id ?? '', status: load?.status }
  }
  const doWork = () =>
    takeWork({ sql, runner: createLoadRunner({ log }), log }, { signal: new AbortController().signal })
  const statusOf = async (id: string) => (await call(`/v1/loads/${id}`)).body.status
  const parcelsOf = async (source: string) =>
    (await sql`select count(*)::int as n from live_parcels where source = ${source} and zoning_code = 'R-7'`)[0]?.n

  for (const source of ['elm', 'oak']) {
    await insertCounty(sql, source)
    await ingest(source, `${source}.geojsonl`)
  }
  const heldOfElm = (await ingest('elm', 'elm-2.geojsonl', { missing: 10, zoning: null })).id
  const heldOfOak = (await ingest('oak', 'oak-2.geojsonl', { missing: 30 })).id
  const card = (source: string) => `section[aria-label="Held load of ${source}"]`

  test('a held load says why it is held, with its shares, limits and examples', async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await find(card('elm'), 'elm-2.geojsonl')
    expect(texts(`${card('elm')} strong`)).toEqual([
      'It would retire 10 parcels: 25% of the source. The limit is 5%.',
      'It would empty “Zoning” of 30 parcels: 75% of the source. The limit is 5%.',
    ])
    expect(texts(`${card('elm')} .field-changes dd`)).toEqual([
      ...Array(5).fill('listed → retired'),
      ...Array(5).fill('R-7 → (empty)'),
    ])
    const [example] = elements(`${card('elm')} .field-changes a`)
    expect([example?.textContent, example?.getAttribute('href')]).toEqual(['01', '/app/parcels/elm/01'])
    expect(texts(`${card('elm')} p`)).toContain('Parcels: 30 changed, 10 retired.')
    expect(elements(card('oak'))).toHaveLength(1)
  })

  test('opening a load on the page of its source, and closing it, keeps what was typed', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    const limit = () => find<HTMLInputElement>('input[max="100"]')
    type(await limit(), '33')
    await click('tbody a', 'elm-2.geojsonl')
    const page = await find('main:has([aria-label="One load"])')
    await waitFor(() => document.activeElement === page)
    expect((await limit()).value).toBe('33')
    await click('[aria-label="One load"] a', 'Close')
    await gone('[aria-label="One load"]')
    expect((await limit()).value).toBe('33')
  })

  test('discarding a load asks for confirmation first, and its card disappears', async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await click(`${card('oak')} button`, 'Discard')
    expect(await statusOf(heldOfOak)).toBe('held')
    await click('dialog button', 'Discard it')
    await gone(card('oak'))
    expect([await statusOf(heldOfOak), await parcelsOf('oak')]).toEqual(['discarded', PARCELS])
  })

  test('a load that is held while the page is open appears there', async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await find(card('elm'))
    expect(elements(card('oak'))).toHaveLength(0)
    await ingest('oak', 'oak-3.geojsonl', { missing: 20 })
    await find(card('oak'), 'It would retire 20 parcels: 50% of the source.')
  })

  test('applying a load asks for confirmation first and shows the progress; its card disappears when a worker has applied it', async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await click(`${card('elm')} button`, 'Apply')
    expect(await statusOf(heldOfElm)).toBe('held')
    await click('dialog button', 'Apply it')
    await find(`${card('elm')} .progress`, 'Waiting for a worker')
    await gone('dialog')
    await sql`update work set status = 'running', done = 10, lease_expires_at = now() + interval '1 hour' where kind = 'load' and status = 'queued'`
    await find(`${card('elm')} .progress`, '10 of 40 parcels')
    await sql`update work set status = 'queued', done = 0, lease_expires_at = null where kind = 'load' and status = 'running'`
    await doWork()
    await gone(card('elm'))
    expect([await statusOf(heldOfElm), await parcelsOf('elm')]).toEqual(['applied', 0])
  })

  test('the page of a source lists its loads, and undoes one after a confirmation', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    const row = (name: string) => elements('section[aria-label=Loads] tbody tr', name)[0]
    await find('section[aria-label=Loads] tbody tr', 'elm-2.geojsonl')
    const cells = [...(row('elm-2.geojsonl')?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent)
    expect(cells.slice(0, 2)).toEqual(['applied', '30 changed, 10 retired'])
    await click('button[aria-label="Undo: elm-2.geojsonl"]')
    expect(await parcelsOf('elm')).toBe(0)
    await click('dialog button', 'Undo it')
    await find('section[aria-label=Loads] .progress', 'Waiting for a worker')
    await doWork()
    await find('section[aria-label=Loads] .badge', 'undone')
    await find('section[aria-label=Loads] td', '40 parcels restored, 0 retired, 0 with newer changes kept')
    expect([await statusOf(heldOfElm), await parcelsOf('elm')]).toEqual(['undone', PARCELS])
  })

  test('the details of a load say why it was held and what happened to it', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    await click('section[aria-label=Loads] th a', 'elm-2.geojsonl')
    const details = 'section[aria-label="One load"]'
    await find(details, 'It would retire 10 parcels: 25% of the source. The limit is 5%.')
    expect(texts(`${details} .facts dd`).slice(0, 3)).toEqual([
      'elm-2.geojsonl (lists all parcels)',
      'undone 40 parcels restored, 0 retired, 0 with newer changes kept',
      '30 changed, 10 retired',
    ])
    expect(texts(`${details} .field-changes dd`)).toContain('R-7 → (empty)')
    expect(elements(`${details} button`)).toEqual([])
    await click(`${details} a`, 'Close')
    await gone(details)
  })

  test('a load that failed while it was applied is applied again after a confirmation', async () => {
    const [load] = await sql`select id from loads where source = 'oak' and status = 'held'`
    await call(`/v1/loads/${load?.id}/apply`, { method: 'POST' })
    await sql.unsafe(`
      create function refuse_for_test() returns trigger language plpgsql as $$ begin raise exception 'refused by a test'; end $$;
      create trigger refuse_for_test before update on parcels for each row execute function refuse_for_test()`)
    await doWork()
    await sql.unsafe('drop trigger refuse_for_test on parcels; drop function refuse_for_test')
    await open('/app/console/sources/oak', { key: ADMIN_KEY })
    await find('section[aria-label=Loads] tr.bad', 'refused by a test')
    await click('button[aria-label="Apply again: oak-3.geojsonl"]')
    expect(await statusOf(load?.id)).toBe('failed')
    await click('dialog button', 'Apply it again')
    await find('section[aria-label=Loads] .progress', 'Waiting for a worker')
    await doWork()
    await gone('section[aria-label=Loads] tr.bad')
    expect([await statusOf(load?.id), await parcelsOf('oak')]).toEqual(['applied', PARCELS - 20])
  })

  test('older loads are shown in pages', async () => {
    await insertCounty(sql, 'ash')
    const ids = Array.from({ length: 45 }, () => Bun.randomUUIDv7())
    await sql`
      insert into loads (id, source, kind, status, file) select id, 'ash', 'ingest', 'discarded', 'roll-' || n || '.csv'
      from unnest(${ids}::uuid[]) with ordinality as ids (id, n)`
    await open('/app/console/sources/ash', { key: ADMIN_KEY })
    const names = () => texts('section[aria-label=Loads] tbody th a')
    await find('section[aria-label=Loads] tbody tr', 'roll-45.csv')
    expect(names()).toHaveLength(20)
    await click('.card button', 'Show older ones')
    await find('section[aria-label=Loads] tbody tr', 'roll-6.csv')
    expect(names()).toHaveLength(40)
    await click('.card button', 'Show older ones')
    await find('section[aria-label=Loads] tbody tr', 'roll-1.csv')
    expect(names()).toEqual(Array.from({ length: 45 }, (_, index) => `roll-${45 - index}.csv`))
    await gone('.card button', 'Show older ones')
  })

  test('the limits of a source are shown in percent, saved, and refused at their field', async () => {
    const limits = async () => (await call('/v1/sources/elm')).body.load_limits
    await call('/v1/sources/elm', { method: 'PATCH', body: { load_limits: { owner: 0.07 } } })
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    const field = async (name: string): Promise<HTMLInputElement> => {
      const label = await find<HTMLLabelElement>('form label', name)
      return document.getElementById(label.htmlFor) as HTMLInputElement
    }
    const [retired, emptied, owner] = [await field('Retired'), await field('Emptied'), await field('New owner')]
    expect([retired.value, retired.placeholder, owner.value, owner.placeholder]).toEqual(['', '5', '7', '20'])
    expect(retired.closest('.field')?.textContent).toContain('If empty: 5%.')
    type(retired, '12.5')
    type(owner, '')
    const save = () => retired.closest('form')?.querySelector<HTMLElement>('button[type=submit]')?.click()
    save()
    await find('.notice.good', 'Saved.')
    expect(await limits()).toEqual({ retired: 0.125, emptied: null, owner: null })

    // As if the browser did not check the field.
    emptied.removeAttribute('max')
    type(emptied, '700')
    save()
    const refusal = await find('.field-error', 'Enter a percentage from 0 to 100.')
    expect(refusal.parentElement?.querySelector('input')).toBe(emptied)
    expect(elements('.notice.bad')).toEqual([])
    expect(await limits()).toEqual({ retired: 0.125, emptied: null, owner: null })
  })
})
