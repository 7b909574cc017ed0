import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../../../http/test-app'
import { insertSource, insertVendor } from '../../../jobs/job-rows'
import { useAppInDom } from '../open-app'

describe('the pages of keys, people and settings', async () => {
  const { app, sql, call, signIn } = await createTestApp()
  await insertVendor(sql, 'aumentum-ascendweb', 2)
  await insertSource(sql, 'elm', 'aumentum-ascendweb')
  const ada = await signIn({ email: 'ada@larkspur.example', role: 'admin' })
  const ben = await signIn({ email: 'ben@larkspur.example' })
  const { open, find, gone, elements, type, press } = useAppInDom(app.handle)
  const click = async (selector: string, text = '') => (await find(selector, text)).click()
  const statusWith = async (key: string) => (await call('/v1/sources?limit=1', { key })).status
  const statusOfAccountsAsBen = async () =>
    (await call('/v1/admin/accounts', { key: null, headers: ben.headers })).status
  const isListed = (email: string) => find('tbody tr', email)

  test('a person issues a key, uses it and revokes it, and it is refused on the next request', async () => {
    await open('/app/dashboard', ben)
    await click('button', 'New key')
    expect(document.activeElement?.tagName).toBe('INPUT')
    press(document.activeElement ?? document.body, 'Escape')
    await gone('dialog')
    await click('button', 'New key')
    type(await find('dialog input'), 'county map')
    // Escape does not discard the typed text.
    press(document.activeElement ?? document.body, 'Escape')
    await find('dialog .dialog-ask', 'not saved')
    expect(document.activeElement?.textContent).toBe('Stay')
    await click('dialog .dialog-ask button', 'Stay')
    expect((await find<HTMLInputElement>('dialog input')).value).toBe('county map')
    expect(elements('dialog input[type=checkbox]').length).toBe(0)
    await click('dialog button[type=submit]:not([disabled])')
    const key = (await find('[data-testid=new-key]')).textContent
    expect(key).toMatch(/^pk_[0-9a-f]{64}$/)
    expect(await statusWith(key)).toBe(200)
    press(document.activeElement ?? document.body, 'Escape')
    await find('dialog .dialog-ask', 'shown only once')
    await click('dialog button', 'I have it')
    expect((await find('tbody tr', 'county map')).textContent).toContain('valid')
    // The key was shown once, and is nowhere in the page any more.
    await gone('dialog')
    expect(document.documentElement.outerHTML).not.toContain(key)

    await click('button[aria-label="Revoke county map"]')
    await click('dialog button.danger:not([disabled])')
    await gone('button[aria-label="Revoke county map"]')
    expect((await find('tbody tr', 'county map')).textContent).toContain('revoked')
    expect(await statusWith(key)).toBe(401)
  })

  test('a promotion and a demotion change what a person sees and may request', async () => {
    await open('/app/console/people', ben)
    await find('.notice', 'The console is for operators')
    expect(await statusOfAccountsAsBen()).toBe(403)

    await open('/app/console/people', ada)
    await click('button[aria-label="Promote ben@larkspur.example"]')
    expect(document.activeElement?.textContent).toBe('Go back')
    await click('dialog button', 'Promote')
    await find('button[aria-label="Demote ben@larkspur.example"]')
    expect(await statusOfAccountsAsBen()).toBe(200)
    await open('/app/console/people', ben)
    await isListed('ada@larkspur.example')

    await open('/app/console/people', ada)
    await click('button[aria-label="Demote ben@larkspur.example"]')
    await click('dialog button.danger', 'Demote')
    await find('button[aria-label="Promote ben@larkspur.example"]')
    expect(await statusOfAccountsAsBen()).toBe(403)
    await click('.notice.good button', 'Undo')
    await find('button[aria-label="Demote ben@larkspur.example"]')
    expect(await statusOfAccountsAsBen()).toBe(200)
    await click('button[aria-label="Demote ben@larkspur.example"]')
    await click('dialog button.danger', 'Demote')
    await find('button[aria-label="Promote ben@larkspur.example"]')
    await open('/app/console/people', ben)
    await find('.notice', 'The console is for operators')
  })

  test('the last admin cannot be demoted, and the page says why', async () => {
    await open('/app/console/people', ada)
    await click('button[aria-label="Demote ada@larkspur.example"]')
    await find('dialog h2', 'Remove the admin role from yourself?')
    await click('dialog button.danger', 'Demote')
    await find('dialog .notice.bad', 'last admin')
    await open('/app/console/people', ada)
    expect((await isListed('ada@larkspur.example')).querySelector('.badge.good')?.textContent).toBe('admin')
  })

  test('a person on the paid plan can issue keys that request scrapes, and keys that export', async () => {
    await open('/app/console/people', ada)
    await click('button[aria-label="To the paid plan: ben@larkspur.example"]')
    await find('button[aria-label="To the free plan: ben@larkspur.example"]')
    await open('/app/dashboard', ben)
    await click('button', 'New key')
    type(await find('dialog input:not([type=checkbox])'), 'refresher')
    await click('dialog input[type=checkbox]')
    await click('dialog button[type=submit]:not([disabled])')
    const key = (await find('[data-testid=new-key]')).textContent
    const body = { source: 'elm', source_parcel_id: '12-0001-0010' }
    expect((await call('/v1/scrape-jobs', { method: 'POST', key, body })).status).toBe(200)
    const order = { method: 'POST', body: { format: 'ndjson' } }
    expect((await call('/v1/exports', { ...order, key })).status).toBe(403)

    await open('/app/dashboard', ben)
    await click('button', 'New key')
    type(await find('dialog input:not([type=checkbox])'), 'exporter')
    await click('dialog label.checkbox', 'May export parcels in bulk')
    await click('dialog button[type=submit]:not([disabled])')
    const exporter = (await find('[data-testid=new-key]')).textContent
    expect((await call('/v1/exports', { ...order, key: exporter })).status).toBe(202)
    expect((await call('/v1/scrape-jobs', { method: 'POST', key: exporter, body })).status).toBe(403)

    // Without the paid plan, the same key can no longer export.
    await open('/app/console/people', ada)
    await click('button[aria-label="To the free plan: ben@larkspur.example"]')
    await find('button[aria-label="To the paid plan: ben@larkspur.example"]')
    expect((await call('/v1/exports', { ...order, key: exporter })).status).toBe(403)
  })

  test('an operator names the license of a source and whom to credit, and removes both again', async () => {
    const field = async (label: string) => {
      const id = (await find<HTMLLabelElement>('dialog label', label)).htmlFor
      return find<HTMLInputElement>(`[id="${id}"]`)
    }
    const edit = async (license: string, attribution: string) => {
      await open('/app/console/sources/elm', ada)
      await click('button', 'Edit the source')
      type(await field('License'), license)
      type(await field('Attribution'), attribution)
      await click('dialog button[type=submit]:not([disabled])')
      await gone('dialog')
    }
    const stored = async () => (await sql`select license, attribution from sources where source = 'elm'`)[0]
    await edit('CC-BY-4.0', 'Larkspur County Assessor')
    await find('dd', 'CC-BY-4.0 · Larkspur County Assessor')
    expect(await stored()).toEqual({ license: 'CC-BY-4.0', attribution: 'Larkspur County Assessor' })
    await edit('', ' ')
    await find('dd', 'not known')
    expect(await stored()).toEqual({ license: null, attribution: null })
  })

  test('the vendor’s schema names what is wrong with a source’s settings, and correct settings are kept', async () => {
    const openSettings = async () => {
      await open('/app/console/sources', ada)
      await click('button[aria-label="Edit the settings of elm"]')
      return find<HTMLTextAreaElement>('textarea')
    }
    const text = await openSettings()
    const submit = () => click('dialog button[type=submit]:not([disabled])')
    type(text, '{ "parcel_id": "lot" }')
    await submit()
    await find('.field-error', 'vendor_config.parcel_id')
    type(text, '{ "value_types": { "land": 5 }, "lot": 7 }')
    await submit()
    expect((await find('.field-error', 'vendor_config.value_types.land')).textContent).toContain('unknown field')
    type(text, '{ "parcel_id": "alternate" }')
    await gone('.field-error')
    await submit()
    await gone('dialog')
    expect(JSON.parse((await openSettings()).value)).toEqual({ parcel_id: 'alternate' })
  })
})
