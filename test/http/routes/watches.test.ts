import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { addWatch } from '../../../src/watches/change-watch'
import { createWatchMatcher } from '../../../src/watches/watch-matcher'
import { createWebhookRunner } from '../../../src/work/webhook-runner'
import { createWorkLoop } from '../../../src/work/work-loop'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { waitFor } from '../../support/servers'
import { QUICK } from '../../watches/quick-retries'
import { readEventStream } from '../event-source'
import { createTestApp, insertCounty } from '../test-app'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { app, sql, url, call, readKey, signIn } = await createTestApp({ allowPrivateWebhooks: true })
const strict = await createTestApp()
await insertCounty(sql, 'elm')
await insertCounty(strict.sql, 'elm')
const log = pino({ level: 'silent' })
const matcher = createWatchMatcher({ databaseUrl: url, sql, log, pollMs: 20 })
const loop = createWorkLoop({ sql, log, runners: [createWebhookRunner(QUICK)], pollMs: 20 })
matcher.start()
loop.start()
afterAll(() => Promise.all([matcher.stop(), loop.stop()]))

const received: { id: string | null; type: string }[] = []
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async (request) => {
    const { type } = (await request.json()) as { type: string }
    received.push({ id: request.headers.get('webhook-id'), type })
    return new Response('ok')
  },
})
afterAll(() => receiver.stop(true))
const webhook_url = `http://127.0.0.1:${receiver.port}/hook`

const key = await readKey()
const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(path, { method: 'POST', key, body, headers })
const PARCEL = { kind: 'parcel', source: 'elm', source_parcel_id: '12-0345' }

test('201: a watch is added with a secret that is shown once, listed, read, changed and deleted', async () => {
  const added = await post('/v1/watches', { ...PARCEL, fields: ['owner_name', 'owner_name'], webhook_url })
  expect(added.status).toBe(201)
  expect(added.headers.get('cache-control')).toBe('no-store')
  const { webhook_secret, polygon, ...watch } = added.body
  expect(webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(watch).toMatchObject({
    ...{ ...PARCEL, owner_name: null, fields: ['owner_name'], active: true, webhook_url, webhook_state: 'unused' },
    ...{
      last_error: null,
      last_delivered_at: null,
      last_failed_at: null,
      held_until: null,
      created_by: key.slice(0, 8),
    },
  })
  expect((await call('/v1/watches', { key })).body).toEqual({ count: 1, watches: [watch], next: null })
  expect((await call(`/v1/watches/${watch.id}`, { key })).body).toEqual({ ...watch, polygon: null })
  const patch = (body: unknown) => call(`/v1/watches/${watch.id}`, { method: 'PATCH', key, body })
  expect((await patch({ active: false, fields: null })).body).toEqual({
    ...{ ...watch, polygon: null, active: false, fields: null, webhook_secret: null },
  })
  const renewed = (await patch({ new_secret: true })).body.webhook_secret
  expect(renewed).toStartWith('whsec_')
  expect(renewed).not.toBe(webhook_secret)
  expect((await patch({ webhook_url: null })).body).toMatchObject({ webhook_url: null, webhook_state: null })
  expect((await patch({})).status).toBe(400)
  const deleted = await call(`/v1/watches/${watch.id}`, { method: 'DELETE', key })
  expect([deleted.status, deleted.body.id]).toEqual([200, watch.id])
  expect((await call(`/v1/watches/${watch.id}`, { key })).status).toBe(404)
})

test('each kind takes its own target, and refuses that of another kind', async () => {
  const triangle = {
    type: 'Polygon',
    coordinates: [
      [
        [-123.1, 44],
        [-123, 44],
        [-123, 44.1],
        [-123.1, 44],
      ],
    ],
  }
  const added = await post('/v1/watches', { kind: 'polygon', polygon: triangle })
  expect(added.body.polygon).toEqual({ type: 'MultiPolygon', coordinates: [triangle.coordinates] })
  expect(added.body.webhook_secret).toBe(null)
  expect((await post('/v1/watches', { kind: 'owner', owner_name: ' Ada Elm ' })).body.owner_name).toBe('Ada Elm')
  expect((await post('/v1/watches', { kind: 'source', source: 'elm' })).status).toBe(201)
  const circle = Array.from({ length: 1_001 }, (_, n) => [n / 1_000, Math.sin(n)])
  for (const [body, error] of [
    [
      { kind: 'parcel', source: 'elm' },
      'a watch of kind parcel needs source and source_parcel_id, and no field of another kind',
    ],
    [
      { ...PARCEL, owner_name: 'Ada' },
      'a watch of kind parcel needs source and source_parcel_id, and no field of another kind',
    ],
    [{ kind: 'source', source: 'nowhere' }, 'source: there is no source nowhere'],
    [{ kind: 'owner', owner_name: '!!' }, 'owner_name must have a letter or digit'],
    [{ kind: 'county', source: 'elm' }, 'kind must be one of parcel, owner, polygon, source, alerts'],
    [
      { kind: 'polygon', polygon: { type: 'Polygon', coordinates: [circle] } },
      'polygon has 1001 positions, more than 1000',
    ],
    [
      { kind: 'polygon', polygon: { type: 'Polygon', coordinates: [] } },
      expect.stringContaining('polygon must be a GeoJSON Polygon'),
    ],
    [
      {
        kind: 'polygon',
        polygon: { ...triangle, coordinates: [[[181, 0], ...(triangle.coordinates[0] ?? []).slice(1)]] },
      },
      expect.stringContaining('polygon must be a GeoJSON Polygon'),
    ],
    [
      { kind: 'polygon', polygon: { type: 'Point', coordinates: [1, 2] } },
      expect.stringContaining('polygon.type must be'),
    ],
    [
      { ...PARCEL, fields: ['owner_name', 'scrape_data.bills', 'foo'] },
      expect.stringContaining('fields: there is no field foo, only lon, lat, acreage'),
    ],
    [{ ...PARCEL, fields: ['Owner name'] }, expect.stringContaining('names of fields, such as owner_name')],
    [
      { ...PARCEL, fields: Array.from({ length: 51 }, (_, n) => `field_${n}`) },
      expect.stringContaining('a list of at most 50'),
    ],
    [{ ...PARCEL, webhook_url: 'hooks.example' }, expect.stringContaining('webhook_url must be an https URL')],
    [{ ...PARCEL, colour: 'red' }, expect.stringContaining('unknown field "colour"')],
  ] as const) {
    const refused = await post('/v1/watches', body)
    expect([refused.status, refused.body.error]).toEqual([400, error])
  }
})

test('400: webhooks must have an https URL on the public internet', async () => {
  for (const address of [
    'http://hooks.example/a',
    'https://localhost/a',
    'https://10.0.0.1/a',
    'https://[::1]/a',
    'https://169.254.169.254/latest',
    'https://db.internal/a',
    'https://user:password@hooks.example/a',
    'ftp://hooks.example/a',
  ]) {
    const refused = await strict.call('/v1/watches', { method: 'POST', body: { ...PARCEL, webhook_url: address } })
    expect([address, refused.status]).toEqual([address, 400])
    expect(refused.body.error).toStartWith('webhook_url must be an https URL on the public internet')
  }
  const added = await strict.call('/v1/watches', {
    method: 'POST',
    body: { ...PARCEL, webhook_url: 'https://hooks.example/a' },
  })
  expect(added.status).toBe(201)
})

test('a watch belongs to the account or the key that added it; admins see all, with the names of owners', async () => {
  const ada = await signIn()
  const ben = await signIn()
  const other = await readKey()
  const { body: watch } = await call('/v1/watches', { method: 'POST', key: null, headers: ada.headers, body: PARCEL })
  const issued = await call('/v1/account/keys', {
    method: 'POST',
    key: null,
    headers: ada.headers,
    body: { name: 'map' },
  })
  expect((await call(`/v1/watches/${watch.id}`, { key: issued.body.key })).status).toBe(200)
  const strangers = [{ key: other }, { key: null, headers: ben.headers }]
  for (const stranger of strangers) {
    const path = `/v1/watches/${watch.id}`
    expect((await call('/v1/watches', stranger)).body.watches).toEqual([])
    expect((await call(path, stranger)).status).toBe(404)
    expect((await call(path, { ...stranger, method: 'PATCH', body: { active: false } })).status).toBe(404)
    expect((await call(path, { ...stranger, method: 'DELETE' })).status).toBe(404)
    expect((await call(`${path}/deliveries`, stranger)).status).toBe(404)
    expect((await call(`${path}/test`, { ...stranger, method: 'POST' })).status).toBe(404)
  }
  expect((await call('/v1/watches', { key: null })).status).toBe(401)
  const all = (await call('/v1/watches')).body.watches as { id: string; created_by: string }[]
  expect(all.find(({ id }) => id === watch.id)?.created_by).toBe(ada.email)
  expect((await call('/v1/watches?limit=1')).body.next).toBe(all[0]?.id as string)
  await sql`delete from accounts where id = ${ada.accountId}`
  expect((await call(`/v1/watches/${watch.id}`)).status).toBe(404)
})

test('a change is in the log, on the event stream of its owner and at the receiver; it can be replayed with the same id', async () => {
  const { body: watch } = await post('/v1/watches', {
    kind: 'parcel',
    source: 'elm',
    source_parcel_id: 'd1',
    webhook_url,
  })
  const follow = async (by: string) => {
    const response = await app.handle(
      new Request('http://localhost/v1/events?types=watch', { headers: { 'x-service-key': by } }),
    )
    return readEventStream(response.body as ReadableStream)
  }
  const [own, others] = [await follow(key), await follow(await readKey())]
  await sql`insert into parcels (source, source_parcel_id) values ('elm', 'd1')`
  const list = async () => (await call(`/v1/watches/${watch.id}/deliveries`, { key })).body.deliveries
  await waitFor(async () => (await list())[0]?.status === 'delivered')
  const [delivery] = await list()
  expect(delivery).toMatchObject({
    ...{ source: 'elm', source_parcel_id: 'd1', action: 'created', fields: [], attempts: 1, next_attempt_at: null },
    ...{ response_status: 200, response: 'ok', error: null },
  })
  // The key has watches of other tests.
  const findEvent = () => own.events.find(({ data }) => data.watch_id === watch.id)
  await waitFor(() => findEvent() !== undefined)
  expect(findEvent()).toMatchObject({
    event: 'watch',
    data: {
      watch_id: watch.id,
      delivery_id: delivery.id,
      version: delivery.version,
      action: 'created',
      at: expect.any(String),
    },
  })
  const replay = () => post(`/v1/watches/${watch.id}/deliveries/${delivery.id}/replay`)
  expect(await replay()).toMatchObject({ status: 202, body: { id: delivery.id, status: 'pending' } })
  await waitFor(() => received.filter(({ id }) => id === delivery.id).length === 2)
  await waitFor(async () => (await list())[0]?.status === 'delivered')
  const tested = await post(`/v1/watches/${watch.id}/test`, undefined, { 'idempotency-key': 'one-test' })
  expect(tested).toMatchObject({ status: 202, body: { status: 'pending', version: null, action: null } })
  expect((await post(`/v1/watches/${watch.id}/test`, undefined, { 'idempotency-key': 'one-test' })).body.id).toBe(
    tested.body.id,
  )
  await waitFor(() => received.some(({ id, type }) => id === tested.body.id && type === 'watch.test'))
  await waitFor(async () => (await list())[0]?.status === 'delivered')
  expect((await call(`/v1/watches/${watch.id}`, { key })).body.webhook_state).toBe('working')
  const page = (await call(`/v1/watches/${watch.id}/deliveries?limit=1`, { key })).body
  expect([page.deliveries[0].id, page.next]).toEqual([tested.body.id, tested.body.id])
  expect((await call(`/v1/watches/${watch.id}/deliveries?status=failed`, { key })).body.count).toBe(0)
  expect(others.events).toEqual([])
  await Promise.all([own.cancel(), others.cancel()])
})

test('409: no replay or test without a webhook, or for a watch that is not active, or while it is queued; 404: an unknown delivery', async () => {
  const { body: watch } = await post('/v1/watches', { kind: 'parcel', source: 'elm', source_parcel_id: 'd2' })
  expect((await post(`/v1/watches/${watch.id}/test`)).body.error).toBe('this watch has no webhook')
  await sql`insert into parcels (source, source_parcel_id) values ('elm', 'd2')`
  const list = async () => (await call(`/v1/watches/${watch.id}/deliveries`, { key })).body.deliveries
  await waitFor(async () => (await list()).length === 1)
  const [delivery] = await list()
  expect(delivery.status).toBe('recorded')
  const replay = (id = delivery.id) => post(`/v1/watches/${watch.id}/deliveries/${id}/replay`)
  expect((await replay()).status).toBe(409)
  const patch = (body: unknown) => call(`/v1/watches/${watch.id}`, { method: 'PATCH', key, body })
  expect((await patch({ webhook_url, active: false })).body.webhook_secret).toStartWith('whsec_')
  expect((await replay()).body.error).toBe('this watch is not active')
  expect((await replay(crypto.randomUUID())).status).toBe(404)
  expect((await replay('x')).status).toBe(404)
  await patch({ webhook_url: 'http://127.0.0.1:1/closed', active: true })
  expect((await replay()).status).toBe(202)
  expect(await replay()).toMatchObject({ status: 409, body: { error: 'this delivery is still queued' } })
  await call(`/v1/watches/${watch.id}`, { method: 'DELETE', key })
})

test('send: deliveries that wait for a retry are sent soon, and the pause of the watch ends; other callers cannot send them', async () => {
  const { body: watch } = await post('/v1/watches', {
    ...{ kind: 'parcel', source: 'elm', source_parcel_id: 'd3', webhook_url },
  })
  // As if the receiver had been down for hours.
  await sql`update watches set held_until = now() + interval '1 hour' where id = ${watch.id}`
  await sql`insert into parcels (source, source_parcel_id) values ('elm', 'd3')`
  const list = async () => (await call(`/v1/watches/${watch.id}/deliveries`, { key })).body.deliveries
  await waitFor(async () => (await list()).length === 1)
  await sql`update webhook_deliveries set next_attempt_at = now() + interval '6 hours' where watch_id = ${watch.id}`
  const [delivery] = await list()
  expect(delivery).toMatchObject({ status: 'pending', source_parcel_id: 'd3' })
  expect((await call(`/v1/watches/${watch.id}/send`, { method: 'POST', key: await readKey() })).status).toBe(404)
  const sent = await post(`/v1/watches/${watch.id}/send`)
  expect(sent).toMatchObject({ status: 202, body: { id: watch.id, held_until: null } })
  await waitFor(async () => (await list())[0]?.status === 'delivered')
  expect(received.filter(({ id }) => id === delivery.id)).toHaveLength(1)
  const patch = (body: unknown) => call(`/v1/watches/${watch.id}`, { method: 'PATCH', key, body })
  await patch({ active: false })
  expect(await post(`/v1/watches/${watch.id}/send`)).toMatchObject({
    status: 409,
    body: { error: 'this watch is not active' },
  })
  await patch({ active: true, webhook_url: null })
  expect((await post(`/v1/watches/${watch.id}/send`)).body.error).toBe('this watch has no webhook')
  expect((await post('/v1/watches/x/send')).status).toBe(404)
  await call(`/v1/watches/${watch.id}`, { method: 'DELETE', key })
})

test('a watch that was paused for a week has its full time again: the first failure gives no change up', async () => {
  const { body: watch } = await post('/v1/watches', {
    ...{ kind: 'parcel', source: 'elm', source_parcel_id: 'd4', webhook_url: 'http://127.0.0.1:1/closed' },
  })
  await sql`insert into parcels (source, source_parcel_id) values ('elm', 'd4')`
  const list = async () => (await call(`/v1/watches/${watch.id}/deliveries`, { key })).body.deliveries
  await waitFor(async () => (await list())[0]?.error !== undefined && (await list())[0].error !== null)
  const patch = (body: unknown) => call(`/v1/watches/${watch.id}`, { method: 'PATCH', key, body })
  await patch({ active: false })
  // A request that was sent before is recorded before its receiver's turn ends.
  await waitFor(async () => {
    const turns = await sql`
      select from work join watches w on w.receiver = work.subject
      where work.kind = 'webhooks' and work.status = 'running' and w.id = ${watch.id}`
    return turns.length === 0
  })
  await sql`
    update webhook_deliveries set queued_at = now() - interval '7 days', next_attempt_at = now() + interval '6 hours', error = null
    where watch_id = ${watch.id}`
  await patch({ active: true })
  await waitFor(async () => (await list())[0].error !== null)
  expect((await list())[0].status).toBe('pending')
  await call(`/v1/watches/${watch.id}`, { method: 'DELETE', key })
})

test('409: an owner can have 1,000 watches; a repeated request adds no second watch', async () => {
  const person = await signIn()
  const add = (headers = {}) =>
    call('/v1/watches', {
      method: 'POST',
      key: null,
      headers: { ...person.headers, ...headers },
      body: { ...PARCEL, webhook_url },
    })
  const once = { 'idempotency-key': 'add-once' }
  const first = await add(once)
  expect(first.status).toBe(201)
  expect(await add(once)).toMatchObject({ status: 409, body: { error: expect.stringContaining(first.body.id) } })
  await sql`
    insert into watches (owner, account_id, created_by, kind, source, after_version)
    select ${person.accountId}, ${person.accountId}, 'x', 'source', 'elm', 0 from generate_series(1, 999)`
  expect(await add()).toMatchObject({ status: 409, body: { error: expect.stringContaining('at most 1,000 watches') } })
})

test('of two requests for the last watch of an owner, one is refused', async () => {
  const { accountId, headers } = await signIn()
  await sql`
    insert into watches (owner, account_id, created_by, kind, source, after_version)
    select ${accountId}, ${accountId}, 'x', 'source', 'elm', 0 from generate_series(1, 999)`
  const owner = { owner: accountId, accountId, keyHash: null, createdBy: 'x' }
  const target = { kind: 'parcel', source: 'elm', source_parcel_id: '12-0345' } as const
  let isAnswered = false
  const second = await sql.begin(async (tx) => {
    await addWatch(tx, owner, target, { allowPrivate: true })
    const answer = call('/v1/watches', { method: 'POST', key: null, headers, body: PARCEL }).finally(() => {
      isAnswered = true
    })
    const findWaiting = () => sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%pg_advisory_xact_lock%'`
    await waitFor(async () => isAnswered || (await findWaiting()).length > 0)
    return { answer }
  })
  expect(await second.answer).toMatchObject({ status: 409, body: { error: expect.stringContaining('at most 1,000') } })
})
