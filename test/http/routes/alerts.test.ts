import { expect, test } from 'bun:test'
import { ALERT_RULE_NAMES } from '../../../core/alerts/alert-rules'
import { createLeader } from '../../../core/postgres/leader/leader'
import { judgeHealth } from '../../../src/operations/alerts/judge-health'
import { ADMIN_KEY, createTestApp, insertCounty } from '../test-app'

const { sql, url, call, readKey, signIn } = await createTestApp()
await insertCounty(sql, 'elm')
await sql`insert into loads (id, source, kind, status) values (uuidv7(), 'elm', 'ingest', 'held')`
const leader = createLeader(url, 'judge of the test')
const lead = await leader.lead()
const judge = async () => {
  if (lead !== null) await judgeHealth(sql, lead, { folders: [], baseUrl: 'http://localhost', minuteMs: 0 })
}
await judge()
await leader.stop()
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString()

test('200: alerts, newest first, with the page of the console; by state and rule', async () => {
  const { body } = await call('/v1/alerts')
  expect(body).toEqual({
    count: 1,
    next: null,
    alerts: [
      {
        ...{ id: expect.any(String), rule: 'load_held', subject: 'elm', state: 'raised', value: 1, threshold: null },
        text: 'Elm, OR: a load is held until an admin applies or discards it.',
        ...{ raised_at: expect.any(String), resolved_at: null, told_at: expect.any(String) },
        ...{ silenced_until: null, silenced_by: null, silence_reason: null },
        console_url: 'http://localhost/app/console/sources/elm',
      },
    ],
  })
  const countOf = async (query: string) => (await call(`/v1/alerts?${query}`)).body.count
  expect([await countOf('state=raised'), await countOf('state=resolved')]).toEqual([1, 0])
  expect([await countOf('rule=load_held'), await countOf('rule=disk_full')]).toEqual([1, 0])
  expect((await call('/v1/alerts?state=old')).status).toBe(400)
})

test('an admin silences an alert and ends the silence; both are recorded', async () => {
  const ada = await signIn({ email: 'ada@larkspur.example', role: 'admin' })
  const { id } = (await call('/v1/alerts')).body.alerts[0]
  const silenced = await call(`/v1/alerts/${id}/silence`, {
    ...{ method: 'PUT', body: { until: IN_AN_HOUR, reason: 'known' }, key: null, headers: ada.headers },
  })
  expect(silenced.body).toMatchObject({
    ...{ silenced_until: IN_AN_HOUR, silenced_by: 'ada@larkspur.example', silence_reason: 'known' },
  })
  const heard = await call(`/v1/alerts/${id}/silence`, { method: 'DELETE' })
  expect(heard.body).toMatchObject({ silenced_until: null, silenced_by: null, silence_reason: null })
  const { actions } = (await call('/v1/admin/actions')).body
  expect(actions.map(({ method }: { method: string }) => method)).toEqual(['DELETE', 'PUT'])
})

test('400: a silence that ends in the past, or too late; 404: an unknown alert', async () => {
  const { id } = (await call('/v1/alerts')).body.alerts[0]
  const silence = (of: string, until: string) => call(`/v1/alerts/${of}/silence`, { method: 'PUT', body: { until } })
  expect((await silence(id, '2020-01-01T00:00:00.000Z')).body).toEqual({ error: 'until must be in the future' })
  expect((await silence(id, '2099-01-01T00:00:00.000Z')).body).toEqual({
    error: 'until must be at most 90 days from now',
  })
  for (const unknown of [crypto.randomUUID(), 'x']) {
    expect((await silence(unknown, IN_AN_HOUR)).status).toBe(404)
    expect((await call(`/v1/alerts/${unknown}/silence`, { method: 'DELETE' })).status).toBe(404)
  }
})

test('the rules have their thresholds, which an admin can change, and switch off', async () => {
  const { body } = await call('/v1/alert-rules')
  expect(body.count).toBe(ALERT_RULE_NAMES.length)
  expect(body.rules[0]).toEqual({
    ...{ rule: 'source_failing', title: 'Source fails', active: true, raised: 0 },
    means:
      'At least 50% of the last 50 scrapes of an active source failed. Cancelled scrapes do not count, and unknown parcels only if nearly all are unknown.',
    advice: expect.any(String),
    ...{ unit: 'percent', threshold: 50, default_threshold: 50, min_threshold: 5, max_threshold: 100 },
    ...{ updated_at: null, updated_by: null },
  })
  const change = (rule: string, body: object) => call(`/v1/alert-rules/${rule}`, { method: 'PATCH', body })
  const changed = (await change('source_failing', { threshold: 60 })).body
  expect(changed).toMatchObject({
    threshold: 60,
    default_threshold: 50,
    active: true,
    updated_by: ADMIN_KEY.slice(0, 8),
  })
  expect(changed.means).toStartWith('At least 60%')
  // Each change leaves the other setting as it is.
  expect((await change('source_failing', { active: false })).body).toMatchObject({ threshold: 60, active: false })
  expect((await change('source_failing', { threshold: null })).body).toMatchObject({ threshold: 50, active: false })
  expect((await change('source_failing', { threshold: 101 })).body).toEqual({
    error: 'threshold must be 5 to 100 percent',
  })
  expect((await change('load_held', { threshold: 1 })).body).toEqual({
    error: 'the rule load_held has no threshold',
  })
  expect((await change('load_held', {})).status).toBe(400)
  expect((await change('moon', { active: false })).status).toBe(400)
})

test('403: only admins read alerts, change rules and add watches of alerts', async () => {
  const key = await readKey()
  const paths = [
    ['GET', '/v1/alerts'],
    ['GET', '/v1/alert-rules'],
    ['PATCH', '/v1/alert-rules/load_held'],
    ['PUT', `/v1/alerts/${crypto.randomUUID()}/silence`],
  ] as const
  for (const [method, path] of paths) {
    expect((await call(path, { method, key, ...(method === 'GET' ? {} : { body: {} }) })).status).toBe(403)
  }
  const add = (options: object = {}) =>
    call('/v1/watches', {
      method: 'POST',
      body: { kind: 'alerts', webhook_url: 'https://hooks.example/a' },
      ...options,
    })
  expect((await add({ key })).body).toEqual({ error: 'a watch of kind alerts needs the capability: admin' })
  const { status, body } = await add()
  expect([status, body.kind, body.source]).toEqual([201, 'alerts', null])
  const badly = (more: object) => call('/v1/watches', { method: 'POST', body: { kind: 'alerts', ...more } })
  expect((await badly({ source: 'elm' })).body).toEqual({
    error: 'a watch of kind alerts takes no field of another kind',
  })
  expect((await badly({ fields: ['owner_name'] })).body).toEqual({ error: 'a watch of kind alerts has no fields' })
})
