import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { parseFieldMap } from '../../../src/ingest/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields'
import { ingestParcels } from '../../../src/ingest/ingest'
import { createLoadRunner } from '../../../src/work/load-runner'
import { takeWork } from '../../../src/work/take-work'
import { TEST_TIMEOUT_MS } from '../../deadlines'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { inFolder, writeFixture } from '../../ingest/write-fixture'
import { useAppInDom } from './open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

describe('loads in the console', async () => {
  const { app, sql, call } = await createTestApp()
  const log = pino({ level: 'silent' })
  const { open, find, gone, elements, texts } = useAppInDom(app.handle)
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

  test('a held load tells why, with its shares, limits and examples', async () => {
    await open('/app/console/health', { key: ADMIN_KEY })
    await find(card('elm'), 'elm-2.geojsonl')
    expect(texts(`${card('elm')} strong`)).toEqual([
      'It would retire 10 parcels: 25% of the source. The limit is 5%.',
      'It would empty “Zoning code” of 30 parcels: 75% of the source. The limit is 5%.',
    ])
    expect(texts(`${card('elm')} tbody td`)).toEqual([
      ...Array(5).fill('listed → retired'),
      ...Array(5).fill('R-7 → (empty)'),
    ])
    const [example] = elements(`${card('elm')} tbody a`)
    expect([example?.textContent, example?.getAttribute('href')]).toEqual(['01', '/app/parcels/elm/01'])
    expect(texts(`${card('elm')} p`)).toContain('0 new, 30 changed, 0 unchanged, 10 retired, 0 rejected.')
    expect(elements(card('oak'))).toHaveLength(1)
  })

  test('discarding asks first, and the card goes', async () => {
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

  test('applying asks first and shows the progress; the card goes when a worker has applied it', async () => {
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

  test('the page of a source lists its loads, and undoes one after asking', async () => {
    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    const row = (name: string) => elements('section[aria-label=Loads] tbody tr', name)[0]
    await find('section[aria-label=Loads] tbody tr', 'elm-2.geojsonl')
    const cells = [...(row('elm-2.geojsonl')?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent)
    expect(cells.slice(0, 6)).toEqual(['applied', '0', '30', '0', '10', '0'])
    await click('button[aria-label="Undo the load elm-2.geojsonl"]')
    expect(await parcelsOf('elm')).toBe(0)
    await click('dialog button', 'Undo it')
    await find('section[aria-label=Loads] .progress', 'Waiting for a worker')
    await doWork()
    await find('section[aria-label=Loads] .badge', 'undone')
    await find('section[aria-label=Loads] td', '40 parcels restored, 0 retired, 0 with newer changes kept')
    expect([await statusOf(heldOfElm), await parcelsOf('elm')]).toEqual(['undone', PARCELS])
  })
})
