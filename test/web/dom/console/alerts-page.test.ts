import { describe, expect, test } from 'bun:test'
import { createTestApp } from '../../../http/test-app'
import { insertSource } from '../../../jobs/job-rows'
import { useAppInDom } from '../open-app'

describe('the page of alerts', async () => {
  const instance = (name: string, isExcept: boolean, documents: number | null) => ({
    ...{ name, states: { codes: ['OR'], isExcept }, queue: name, countDocuments: async () => documents },
  })
  const { app, sql, call, signIn } = await createTestApp({
    allowPrivateWebhooks: true,
    indexedInstances: [instance('west:7700', false, 1_200), instance('others:7700', true, null)],
  })
  await insertSource(sql, 'elm', 'arcgis-rest')
  const ada = await signIn({ email: 'ada@larkspur.example', role: 'admin' })
  await sql`
    insert into alerts (rule, subject, value, text, threshold) values
      ('source_failing', 'elm', 64, 'Elm, OR: 64% of the last scrapes failed.', 50),
      ('search_lag', '', 9, 'The search index is 9 min behind.', 5)`
  const { open, find, gone, elements, texts, type, press } = useAppInDom(app.handle)
  const click = async (selector: string, text = '') => (await find(selector, text)).click()
  const openAlerts = async () => {
    await open('/app/console/alerts', ada)
    await find('section[aria-label="Current alerts"] tbody tr')
  }
  const countInNavigation = () => texts('.console-nav a .badge')[0]

  test('it lists what is wrong, with a link to its page, and the navigation counts it', async () => {
    await openAlerts()
    expect(texts('section[aria-label="Current alerts"] tbody tr th .cell-words').sort()).toEqual([
      'Elm, OR: 64% of the last scrapes failed.',
      'The search index is 9 min behind.',
    ])
    const hrefs = elements('section[aria-label="Current alerts"] tbody th a').map((one) => one.getAttribute('href'))
    expect(hrefs.sort()).toEqual(['/app/console/search-index', '/app/console/sources/elm'])
    await find('.console-nav a .badge', '2')
  })

  test('the search index behind an alert shows its instances, and one is rebuilt', async () => {
    await open('/app/console/search-index', ada)
    const rows =
      'section table[aria-label="Instances of Meilisearch"] tbody tr, [aria-label="Instances of Meilisearch"] tbody tr'
    await find(rows, '1,200')
    expect(texts(rows).map((text) => /no response/.test(text))).toEqual([false, true])
    await click('tbody button', 'Rebuild west:7700')
    await click('dialog button', 'Rebuild')
    await find(rows, 'queued')
    const { instances } = (await call('/v1/admin/search-index')).body
    expect(instances).toMatchObject([{ rebuild: { state: 'requested' } }, { rebuild: null }])
  })

  test('an alert is silenced with a reason that everybody sees, and the silence is ended', async () => {
    await openAlerts()
    await click('button[aria-label^="Silence: The search index"]')
    // Escape does not discard the typed text.
    type(await find('dialog input'), 'upgrade')
    press(document.activeElement ?? document.body, 'Escape')
    await click('dialog .dialog-ask button', 'Stay')
    await click('dialog button[type=submit]')
    await find('section[aria-label="Current alerts"] .cell-note', 'by ada@larkspur.example')
    await find('section[aria-label="Current alerts"] .cell-note', 'upgrade')
    await find('.console-nav a .badge', '1')
    expect(countInNavigation()).toContain('1')
    await click('button[aria-label^="End the silence: The search index"]')
    await find('button[aria-label^="Silence: The search index"]')
    await find('.console-nav a .badge', '2')
  })

  test('a threshold is changed and reset, and a rule is switched off', async () => {
    await openAlerts()
    const ruleOf = async (name: string) =>
      (await call('/v1/alert-rules')).body.rules.find(({ rule }: { rule: string }) => rule === name)
    await click('button[aria-label="Change the threshold: Source fails"]')
    type(await find('dialog input'), '70')
    await click('dialog button[type=submit]')
    await gone('dialog')
    await find('section[aria-label=Rules] tbody tr', 'At least 70% of the last 50 scrapes')
    expect((await ruleOf('source_failing')).threshold).toBe(70)
    await click('button[aria-label="Change the threshold: Source fails"]')
    await click('dialog button', 'Use the default')
    await find('section[aria-label=Rules] tbody tr', 'At least 50% of the last 50 scrapes')
    await click('button[role=switch][aria-label="Check the rule: Load held"]')
    await find('button[aria-label="Check the rule: Load held"][aria-checked=false]')
    expect((await ruleOf('load_held')).active).toBe(false)
  })

  test('a webhook is added, its secret is shown once, and a test message is sent to it', async () => {
    await openAlerts()
    await click('button', 'Add a webhook')
    expect(elements('dialog input')).toHaveLength(1)
    type(await find('dialog input'), 'https://pager.larkspur.example/alerts')
    await click('dialog button[type=submit]')
    expect((await find('[data-testid=webhook-secret]')).textContent).toStartWith('whsec_')
    await click('dialog button', 'I have it')
    await click('button[aria-label="Send a test message to https://pager.larkspur.example/alerts"]')
    await find('.notice.good', 'A test message is being sent')
    const deliveries = await sql`select from webhook_deliveries where version is null and alert_message is null`
    expect(deliveries).toHaveLength(1)
    await click('section[aria-label="Webhooks for alerts"] th a', 'pager')
    await find('h1', 'Watch: Alerts of the service')
    await find('h2', 'Messages')
  })
})
