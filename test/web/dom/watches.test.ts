import { describe, expect, test } from 'bun:test'
import { createTestApp, insertCounty } from '../../http/test-app'
import { countNow } from '../../parcels/coverage/count'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('the pages of watches', async () => {
  const { app, sql, call, readKey } = await createTestApp()
  for (const source of ['elm', 'elm-old']) {
    await insertCounty(sql, source)
    await sql`insert into parcels (source, source_parcel_id, owner_name) values (${source}, '12-0345', 'ADA ELM')`
  }
  await countNow(sql)
  const key = await readKey()
  /** New watches are answered when it resolves. */
  let answersWatches = Promise.resolve()
  const { open, find, gone, elements, texts, type } = useAppInDom(async (request) => {
    if (request.method === 'POST') await answersWatches
    return app.handle(request)
  })
  const list = async () => (await call('/v1/watches', { key })).body.watches
  const press = async (text: string, selector = 'button:not([disabled])') => (await find(selector, text)).click()

  test('a signed-out visitor is asked to sign in', async () => {
    await open('/app/watches')
    await find('.notice', 'Sign in')
    expect(elements('button', 'New watch')).toEqual([])
  })

  test('a watch of an owner is added with a webhook, whose secret is shown once', async () => {
    await open('/app/watches', { key })
    await find('.empty', 'You have no watches yet.')
    await press('New watch')
    type(await find('dialog select'), 'owner')
    type(await find('dialog input[required]'), 'Ada Elm')
    const [, fields, address] = elements('dialog input')
    type(fields as Element, 'owner_name, assessed_value')
    type(address as Element, 'https://hooks.example/a')
    await press('Add the watch')
    const secret = await find('[data-testid=webhook-secret]')
    expect(secret.textContent).toStartWith('whsec_')
    await press('I have it')
    await gone('dialog')
    await find('tbody th', 'Ada Elm')
    expect(texts('tbody td')).toContain('Owner, Assessed value')
    expect(await list()).toMatchObject([
      {
        kind: 'owner',
        owner_name: 'Ada Elm',
        fields: ['owner_name', 'assessed_value'],
        webhook_url: 'https://hooks.example/a',
      },
    ])
  })

  test('the secret is shown, also if somebody types while the watch is being added', async () => {
    await open('/app/watches', { key })
    await press('New watch')
    type(await find('dialog select'), 'owner')
    type(await find('dialog input[required]'), 'Bo Elm')
    type(await find('dialog input[type=url]'), 'https://hooks.example/bo')
    const { promise, resolve } = Promise.withResolvers<void>()
    answersWatches = promise
    await press('Add the watch')
    await find('dialog button[aria-busy]')
    type(await find('dialog input[required]'), 'Bo Elms')
    expect((await find<HTMLButtonElement>('dialog button[type=submit]')).disabled).toBe(true)
    resolve()
    await find('[data-testid=webhook-secret]', 'whsec_')
    await press('I have it')
    await sql`delete from watches where owner_name = 'Bo Elm'`
  })

  test('a watch of all parcels of a county is added by the name of the county', async () => {
    await open('/app/watches', { key })
    await press('New watch')
    type(await find('dialog select'), 'source')
    await find('dialog option', 'Elm, OR (elm-old)')
    const county = elements('dialog select')[1] as HTMLSelectElement
    expect((await find<HTMLButtonElement>('dialog button[type=submit]')).disabled).toBe(true)
    type(county, 'elm')
    await press('Add the watch')
    await gone('dialog')
    expect((await list())[0]).toMatchObject({ kind: 'source', source: 'elm' })
    await sql`delete from watches where kind = 'source'`
  })

  test('the dialog shows why the service refused a watch, and an area must be JSON', async () => {
    await open('/app/watches', { key })
    await press('New watch')
    type(await find('dialog select'), 'polygon')
    type(await find('dialog textarea'), '{')
    await find('.field-error', 'This is not JSON')
    expect((await find<HTMLButtonElement>('dialog button[type=submit]')).disabled).toBe(true)
    type(await find('dialog textarea'), '{"type": "Polygon", "coordinates": [[[200, 0], [1, 1], [0, 1], [200, 0]]]}')
    await gone('.field-error')
    await press('Add the watch')
    await find('dialog .notice.bad', 'polygon must be a GeoJSON Polygon')
  })

  test('“Watch this parcel” adds a watch of the parcel', async () => {
    await open('/app/parcels/elm/12-0345', { key })
    await press('Watch this parcel')
    await press('Add the watch')
    await find('dialog a[href="/app/watches"]', 'Watches')
    await press('Close')
    await gone('dialog')
    await waitFor(async () => (await list()).length === 2)
    expect((await list())[0]).toMatchObject({
      kind: 'parcel',
      source: 'elm',
      source_parcel_id: '12-0345',
      webhook_url: null,
    })
  })

  test('a watch’s page shows its state and its log; a delivery can be replayed, and the watch tested, paused and deleted', async () => {
    const [, { id }] = await list()
    await sql`
      insert into webhook_deliveries (watch_id, version, changed_at, parcel_id, status, attempts, response_status, error, finished_at)
      select ${id}, version, at, parcel_id, 'failed', 9, 500, 'hooks.example responded with status 500', now() from parcel_changes`
    await sql`update watches set last_failed_at = now(), last_error = 'hooks.example responded with status 500' where id = ${id}`
    await open('/app/watches', { key })
    const row = await find('tbody tr.bad')
    expect(row.querySelector('.badge')?.textContent).toBe('failed')
    ;(await find('tbody th a', 'Ada Elm')).click()
    await find('h1', 'Watch: Ada Elm')
    const failed = await find('tbody tr.bad')
    expect(failed.textContent).toContain('12-0345')
    expect(failed.textContent).toContain('hooks.example responded with status 500')
    await press('Replay')
    await find('tbody .badge', 'pending')
    expect(elements('button', 'Send now')).toEqual([])
    await sql`update webhook_deliveries set next_attempt_at = now() + interval '6 hours' where status = 'pending'`
    await open(`/app/watches/${id}`, { key })
    await press('Send now')
    await gone('button', 'Send now')
    expect(await sql`select from webhook_deliveries where status = 'pending' and next_attempt_at > now()`).toHaveLength(
      0,
    )
    await press('Send a test')
    await find('tbody th', 'Test')
    await press('Pause')
    await find('button', 'Resume')
    await find('.facts .badge', 'paused')
    await find('.notice', 'It misses these changes.')
    expect(elements('button', 'Replay')).toEqual([])
    await press('Change the webhook')
    type(await find('dialog input'), 'ftp://hooks.example')
    await press('Save')
    await find('dialog .field-error', 'webhook_url must be an https URL')
    type(await find('dialog input'), 'https://hooks.example/b')
    await press('Save')
    await gone('dialog')
    await find('.facts dd', 'https://hooks.example/b')
    await press('New secret')
    await find('dialog p', 'The next message is signed with the new secret.')
    await press('Replace it')
    await find('[data-testid=webhook-secret]', 'whsec_')
    await press('I have it')
    await gone('dialog')
    await press('Delete')
    await press('Delete it')
    await find('h1', 'Watches')
    await waitFor(async () => (await list()).length === 1)
  })
})

test('the next attempt of a delivery is at its own time or at that of its watch, whichever is later', async () => {
  const { nextTry } = await import('../../../src/web/app/pages/watches/watch-api')
  const [one, two] = ['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:02.000Z']
  const now = Date.parse('2026-01-01T00:00:00.000Z')
  const next = (own: string | null, held: string | null, at = now) =>
    nextTry({ next_attempt_at: own }, { held_until: held }, at)
  expect([next(one, null), next(one, two), next(two, one), next(null, one)]).toEqual([one, two, two, one])
  expect([next(null, null), next(one, null, Date.parse(two))]).toEqual([null, null])
})
