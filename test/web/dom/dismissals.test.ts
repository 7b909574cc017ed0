import { describe, expect, test } from 'bun:test'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../http/test-app'
import { useAppInDom } from './open-app'

describe('findings that people dismiss', async () => {
  const { app, sql, signIn } = await createTestApp()
  await insertCounty(sql, 'elm')
  await upsertParcels(sql, 'elm', [{ sourceParcelId: '1' }])
  await sql`
    insert into findings (parcel_id, rule, severity, category, evidence, suggested_action)
    select id, 'owner-changed', 'medium', 'ownership', '{"was": "ADA"}', 'Compare the deed.' from parcels`
  const { open, elements, find, gone, type } = useAppInDom(app.handle)

  test('an admin dismisses one with a reason; the list hides it, and shows who and why on request', async () => {
    await open('/app/console/findings', { key: ADMIN_KEY })
    ;(await find('tbody button', 'Dismiss')).click()
    const submit = await find<HTMLButtonElement>('dialog button[type=submit]')
    expect(submit.disabled).toBe(true)
    type(await find('dialog textarea'), 'recorded late')
    ;(await find('dialog button[type=submit]:not([disabled])')).click()
    await find('.empty', 'No findings match this filter.')
    const show = elements('.filters select')[2]
    if (show === undefined) throw new Error('there is no filter for dismissed findings')
    type(show, 'true')
    await find('tbody .dismissed', 'by test-adm: recorded late')
  })

  test('the parcel’s page shows it, and an admin reopens it', async () => {
    await open('/app/parcels/elm/1', { key: ADMIN_KEY })
    await find('.findings .dismissed', 'recorded late')
    ;(await find('.findings button', 'Reopen')).click()
    await find('.findings button', 'Dismiss')
    await gone('.findings .dismissed')
  })

  test('a member sees no button', async () => {
    const { cookie } = await signIn()
    await open('/app/parcels/elm/1', { cookie })
    await find('.findings li')
    expect(elements('.findings button')).toEqual([])
  })
})
