import { beforeEach, expect, test } from 'bun:test'
import { pino } from 'pino'
import { deleteOldAdminActions } from '../../../../drizzle/queries/people/admin-actions'
import { isAdminAct } from '../../../../src/http/callers/auth'
import { describeAction } from '../../../../src/web/app/pages/console/describe-action'
import { ADMIN_KEY, createTestApp, insertCounty } from '../../test-app'

const logged: string[] = []
const log = pino({ base: null }, { write: (line: string) => void logged.push(line) })
const { app, sql, call, signIn, readKey } = await createTestApp({ log })
await insertCounty(sql, 'elm')

beforeEach(async () => {
  await sql`delete from admin_actions`
})

const list = async (query = '') => (await call(`/v1/admin/actions${query}`)).body
const change = (body: unknown, headers = {}, path = '/v1/sources/elm') =>
  call(path, { method: 'PATCH', body, headers, ...(Object.keys(headers).length === 0 ? {} : { key: null }) })

test('each change by an admin is recorded with its caller and what was sent; reads and refusals are not', async () => {
  const ada = await signIn({ email: 'ada@larkspur.example', role: 'admin' })
  expect((await change({ active: true })).status).toBe(200)
  expect((await change({ active: false }, ada.headers, '/sources/elm')).status).toBe(200)
  expect((await change({ active: 'yes' })).status).toBe(400)
  expect((await change({ active: true }, {}, '/v1/sources/none')).status).toBe(404)
  expect(
    (await call('/v1/sources/elm', { method: 'PATCH', body: { active: true }, key: await readKey() })).status,
  ).toBe(403)
  expect((await call('/v1/admin/concurrency/run-tuner', { method: 'POST' })).status).toBe(200)
  await call('/v1/sources')
  await call('/v1/admin/accounts')
  await call('/v1/admin/accounts', { method: 'HEAD' })
  // A member's own changes are not an admin's.
  const ben = await signIn({ email: 'ben@larkspur.example' })
  await call('/v1/account/keys', { method: 'POST', body: { name: 'mine' }, key: null, headers: ben.headers })

  const { actions } = await list()
  expect(actions.map(({ id, created_at, ...rest }: Record<string, unknown>) => rest)).toEqual([
    { actor: ADMIN_KEY.slice(0, 8), method: 'POST', path: '/v1/admin/concurrency/run-tuner', body: null },
    { actor: 'ada@larkspur.example', method: 'PATCH', path: '/v1/sources/elm', body: { active: false } },
    { actor: ADMIN_KEY.slice(0, 8), method: 'PATCH', path: '/v1/sources/elm', body: { active: true } },
  ])
  expect((await list(`?actor=${ADMIN_KEY.slice(0, 8)}`)).count).toBe(2)
})

/**
 * Changes that callers make for themselves. When an admin makes them, they are not recorded, except for changes to watches, lists and
 * exports of other people.
 */
const OWN = /^(POST|PATCH|DELETE) \/v1\/(account\/keys|exports|matches|portfolios|saved-searches|uploads|watches)(\/|$)/
/** Requests for jobs, which paying callers may send too; each job says who requested it. And a read with a body. */
const ORDERS = [
  'POST /v1/scrape-jobs',
  'POST /v1/scrape-jobs/enqueue-ag-county',
  'POST /v1/scrape-jobs/refresh',
  'POST /v1/parcels/:source/:id/scrape-now',
  'POST /v1/parcels/within',
]

test('every route that changes something is recorded, unless callers use it for themselves', async () => {
  const notRecorded: string[] = []
  let recorded = 0
  for (const { method, path } of app.routes) {
    if (method === 'GET' || !path.startsWith('/v1/')) continue
    const request = new Request(`http://localhost${path.replace(/:\w+/g, 'x')}`, {
      ...{ method, headers: { 'x-service-key': ADMIN_KEY, 'content-type': 'application/json' }, body: '{' },
    })
    // Refused because of its body. (A part of a file that is accepted is not recorded: the upload of the file is.)
    await app.handle(request)
    if (isAdminAct(request)) {
      recorded++
      // The Activity page describes it in words.
      expect([method, path, describeAction(method, path.replace(/:\w+/g, 'x'))?.words]).toEqual([
        method,
        path,
        expect.any(String),
      ])
    } else notRecorded.push(`${method} ${path}`)
  }
  expect(recorded).toBeGreaterThan(35)
  expect(notRecorded.filter((route) => !OWN.test(route)).sort()).toEqual(ORDERS.toSorted())
})

test('an admin’s changes to watches of alerts and to watches of other people are recorded, and those to their own are not', async () => {
  const ben = await signIn({ email: 'ben@larkspur.example' })
  const add = async (body: object, as = {}) => (await call('/v1/watches', { method: 'POST', body, ...as })).body.id
  const own = await add({ kind: 'source', source: 'elm' })
  const others = await add({ kind: 'source', source: 'elm' }, { key: null, headers: ben.headers })
  const alerts = await add({ kind: 'alerts' })
  for (const id of [own, others, alerts]) await change({ active: false }, {}, `/v1/watches/${id}`)
  for (const id of [own, others, alerts]) await call(`/v1/watches/${id}`, { method: 'DELETE' })
  const { actions } = await list()
  expect(actions.map(({ method, path }: Record<string, string>) => `${method} ${path}`).reverse()).toEqual([
    'POST /v1/watches',
    ...[others, alerts].map((id) => `PATCH /v1/watches/${id}`),
    ...[others, alerts].map((id) => `DELETE /v1/watches/${id}`),
  ])
})

test('an admin’s changes to deliveries, lists and exports of other people are recorded, and those to their own are not', async () => {
  const ben = await signIn({ email: 'ben@larkspur.example', plan: 'paid' })
  const post = async (path: string, as: object, body?: unknown) => {
    const response = await call(path, { method: 'POST', ...as, ...(body === undefined ? {} : { body }) })
    expect([path, response.status < 300]).toEqual([path, true])
    return response.body.id as string
  }
  /** Makes objects with the rights of `as`. As the admin, changes them in each way that callers may change their own. */
  const useAll = async (as: object) => {
    const webhook_url = 'https://hooks.example.org/ben'
    const watch = await post('/v1/watches', as, { kind: 'source', source: 'elm', webhook_url })
    const delivery = await post(`/v1/watches/${watch}/test`, {})
    await sql`update webhook_deliveries set status = 'failed', finished_at = now() where id = ${delivery}`
    await post(`/v1/watches/${watch}/deliveries/${delivery}/replay`, {})
    await post(`/v1/watches/${watch}/send`, {})
    const { headers = {} } = as as { headers?: Record<string, string> }
    const csv = new Request('http://localhost/v1/matches', {
      method: 'POST',
      headers: { 'content-type': 'text/csv', ...('key' in as ? headers : { 'x-service-key': ADMIN_KEY }) },
      body: 'owner\nAda\n',
    })
    const match = ((await (await app.handle(csv)).json()) as { id: string }).id
    await sql`update work set status = 'done', result = '{"rows": 1, "counts": {"no_match": 1}}', finished_at = now() where id = ${match}`
    await post(`/v1/matches/${match}/retry`, {})
    const file = await post('/v1/exports', as, { format: 'csv', filter: { source: 'elm' } })
    for (const path of [`/v1/matches/${match}`, `/v1/exports/${file}`])
      expect((await call(path, { method: 'DELETE' })).status).toBe(200)
    return [
      ...[`POST /v1/watches/${watch}/test`, `POST /v1/watches/${watch}/deliveries/${delivery}/replay`],
      ...[`POST /v1/watches/${watch}/send`, `POST /v1/matches/${match}/retry`],
      ...[`DELETE /v1/matches/${match}`, `DELETE /v1/exports/${file}`],
    ]
  }
  await useAll({})
  expect((await list()).count).toBe(0)
  const changes = await useAll({ key: null, headers: ben.headers })
  const { actions } = await list()
  expect(actions.map(({ method, path }: Record<string, string>) => `${method} ${path}`).reverse()).toEqual(changes)
  for (const { method, path } of actions) expect(describeAction(method, path)).not.toBeNull()
})

test('pages are complete, a long body is left out, and records older than a year are deleted', async () => {
  for (let index = 0; index < 5; index++) await change({ active: index % 2 === 0 })
  await change({ vendor_config: { columns: { parcel_id: 'x'.repeat(5_000) } } })
  const first = await list('?limit=4')
  const second = await list(`?limit=4&after=${first.next}`)
  expect([first.count, second.count, second.next]).toEqual([4, second.count, null])
  expect(new Set([...first.actions, ...second.actions].map(({ id }: { id: string }) => id)).size).toBe(4 + second.count)
  await sql`insert into admin_actions (actor, method, path, body) values ('x', 'PATCH', '/v1/sources/elm', null)`
  await sql`insert into admin_actions (id, actor, method, path) values (uuidv7(interval '-400 days'), 'old', 'PATCH', '/v1/x')`
  const deleted = (await sql.begin((tx) => deleteOldAdminActions(tx, { days: 365, limit: 10 }))) as number
  expect(deleted).toBe(1)
  expect((await list('?actor=old')).count).toBe(0)
})

test('tokens and the paths of webhooks are recorded as REDACTED, and are never logged', async () => {
  await insertCounty(sql, 'oak')
  await sql`update sources set vendor = 'socrata-soda' where source = 'oak'`
  const config = { dataset: 'abcd-1234', columns: { parcel_id: 'pin' }, app_token: 'HUSH-application-token' }
  const changeOak = async (body: object) => expect((await change(body, {}, '/v1/sources/oak')).status).toBe(200)
  await changeOak({ vendor_config: config })
  await changeOak({ base_url: 'https://data.example.org/parcels?token=HUSH&f=json' })
  const webhook = { kind: 'alerts', webhook_url: 'https://hooks.example.org/services/HUSH' }
  expect((await call('/v1/watches', { method: 'POST', body: webhook })).status).toBe(201)
  const { actions } = await list()
  expect(actions.map((action: { body: unknown }) => action.body)).toEqual([
    { kind: 'alerts', webhook_url: 'https://hooks.example.org/REDACTED' },
    { base_url: 'https://data.example.org/parcels?token=REDACTED&f=json' },
    { vendor_config: { ...config, app_token: 'REDACTED' } },
  ])

  await sql`alter table admin_actions rename to unreachable`
  await changeOak({ vendor_config: config })
  await sql`alter table unreachable rename to admin_actions`
  expect(logged.filter((line) => line.includes('was not recorded'))).toHaveLength(1)
  expect(logged.join()).toContain('/v1/sources/oak')
  expect(logged.join()).not.toContain('HUSH')
  expect(logged.join()).not.toContain('app_token')
})
