import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { resolveObjectURL } from 'node:buffer'
import { findAdapter } from '../../../../adapters/registry'
import { listCases } from '../../../../dev/adapter-cases/list-cases'
import { replay } from '../../../../dev/adapter-cases/replay'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../../http/test-app'
import { TEST_TIMEOUT_MS } from '../../../support/deadlines'
import { waitFor } from '../../../support/servers'
import { useAppInDom } from '../open-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** A vendor of grade C whose pages are requested without a browser. */
const VENDOR = 'gsa-catalis'

describe('the settings of a source in the console', async () => {
  const full = listCases(VENDOR).find(({ name }) => name === 'full')
  if (full === undefined) throw new Error(`${VENDOR} has no full case`)
  const { app, sql } = await createTestApp({
    scraper: {
      findAdapter,
      // In this window, `fetch` reaches only the service.
      createContext: (_, signal) => ({ http: replay(full), openPage: null, signal }),
    },
  })
  const { open, find, gone, elements, texts, type } = useAppInDom(app.handle)
  await insertCounty(sql)
  await sql`
    update sources set vendor = ${VENDOR}, base_url = ${full.target.baseUrl},
      vendor_config = ${sql.json((full.config ?? {}) as never)}`
  await insertCounty(sql, 'oh-stark-tyler-iasworld')
  await sql`update sources set vendor = 'tyler-iasworld', vendor_config = '{}' where source = 'oh-stark-tyler-iasworld'`
  const field = async (label: string) => {
    const id = (await find<HTMLLabelElement>('label', label)).htmlFor
    return find<HTMLInputElement>(`[id="${id}"]`)
  }

  test('a source of a C vendor is refused until it is proved, by a dry run whose values are right', async () => {
    await open('/app/console/sources', { key: ADMIN_KEY })
    ;(await find('[aria-label="elm is active"]')).click()
    await find('.notice.bad', 'not_proved: ')

    await open('/app/console/sources/elm', { key: ADMIN_KEY })
    await find('dd', 'not proved')
    type(await field('Parcel for a dry run'), full.target.sourceParcelId)
    ;(await find('button:not([disabled])', 'Dry run')).click()
    const { fields } = full.expect as { fields: { situsAddress: string } }
    await find('[aria-label="Dry run"] tr', fields.situsAddress)
    expect(texts('[aria-label="Dry run"] tr').join('\n')).toContain('situs_address')
    ;(await find('button:not([disabled])', 'The values are right')).click()
    const today = new Date().toISOString().slice(0, 10)
    await find('dd', `proved ${today} by test-adm, with parcel ${full.target.sourceParcelId}`)

    ;(await find('button:not([disabled])', 'Golden page')).click()
    await find('.page-source pre', full.target.sourceParcelId)
    ;(await find('button[aria-pressed="false"]', 'Text')).click()
    await find('[aria-label="Text of the page"] pre', `Location \t${fields.situsAddress}`)
    expect(texts('.page-source pre')[0]).not.toContain('<td>')
    const saved: string[] = []
    // A click on the link would leave the page.
    const links = Object.getPrototypeOf(document.createElement('a'))
    links.click = function (this: HTMLAnchorElement) {
      void resolveObjectURL(this.href)
        ?.text()
        .then((text) => saved.push(`${this.download}: ${text}`))
    }
    ;(await find('button:not([disabled])', 'Export without names')).click()
    await waitFor(() => saved.length === 1)
    delete links.click
    expect(saved[0]).toStartWith('elm.json: {')
    expect(saved[0]).toContain(`"vendor": "${VENDOR}"`)
    expect(saved[0]).not.toContain(fields.situsAddress)

    await open('/app/console/sources', { key: ADMIN_KEY })
    await find('td', `Cproved ${today}`)
    ;(await find('[aria-label="elm is active"][aria-checked="false"]')).click()
    await find('[aria-label="elm is active"][aria-checked="true"]')
  })

  test('the form has a field for each setting, with its meaning and an example; a wrong setting is named', async () => {
    const source = 'oh-stark-tyler-iasworld'
    await open(`/app/console/sources/${source}`, { key: ADMIN_KEY })
    const modes = await field('modes (required)')
    expect(texts('.field-hint').join('\n')).toContain("by their names in the portal's URLs.")
    expect(texts('.field-hint').join('\n')).toContain('Example: profileall, sales')
    type(await field('tax_year'), 'next')
    await find('.field-error', '"next" is not a number')
    type(await field('tax_year'), '1800')
    await gone('.field-error')
    type(modes, 'profileall, sales')
    ;(await find('button:not([disabled])', 'Save the settings')).click()
    await find('.field-error', 'vendor_config.tax_year must be a whole number')
    type(await field('tax_year'), '2025')
    ;(await find('button:not([disabled])', 'Save the settings')).click()
    await find('.notice.good', 'Saved.')
    const stored = async () => (await sql`select vendor_config from sources where source = ${source}`)[0]?.vendor_config
    await waitFor(async () => Bun.deepEquals(await stored(), { modes: ['profileall', 'sales'], tax_year: 2025 }))
    expect(elements('.field-error')).toEqual([])
  })

  test('two people change a source at the same time: each saves only the fields that they edited', async () => {
    const source = 'oh-stark-tyler-iasworld'
    const stored = async () =>
      (await sql`select county_name, license, vendor_config, load_limits from sources where source = ${source}`)[0]
    const save = async (form: string) => (await find(`${form} button[type=submit]:not([disabled])`, 'Save')).click()
    await sql`update sources set vendor_config = '{"modes":["sales"],"tax_year":2024}' where source = ${source}`
    await open(`/app/console/sources/${source}`, { key: ADMIN_KEY })
    type(await field('modes (required)'), 'profileall, sales')
    type(await field('Retired, %'), '20')
    ;(await find('button', 'Edit the source')).click()
    type(await field('License'), 'CC0-1.0')

    await sql`
      update sources set vendor_config = '{"modes":["sales"],"tax_year":2025}', load_limits = '{"owner":0.5}',
        county_name = 'Renamed' where source = ${source}`
    await save('form:has([max="100"])')
    await find('.notice.good', 'The next load is compared with these limits.')
    await find('h1', 'Renamed')
    expect((await field('tax_year')).value).toBe('2025')
    expect((await field('New owner, %')).value).toBe('50')
    expect((await field('modes (required)')).value).toBe('profileall, sales')

    await save('dialog')
    await gone('dialog')
    // What was saved is no longer an edit: the next change of someone else is shown.
    await sql`update sources set load_limits = '{"owner":0.5,"retired":0.3}' where source = ${source}`
    await save('[aria-label="Settings"]')
    await find('.notice.good', 'Saved.')
    await waitFor(async () => (await field('Retired, %')).value === '30')
    expect(await stored()).toEqual({
      county_name: 'Renamed',
      license: 'CC0-1.0',
      vendor_config: { modes: ['profileall', 'sales'], tax_year: 2025 },
      load_limits: { owner: 0.5, retired: 0.3 },
    })
  })
})
