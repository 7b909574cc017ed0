import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { ALERT_RULE_NAMES, describeRule, levelsOf, ruleOf } from '../../../core/alerts/alert-rules'
import { createLeader } from '../../../core/postgres/leader/leader'
import { countRaised, silenceAlert, storeRule } from '../../../drizzle/queries/alerts/alerts'
import { deleteOldAlerts } from '../../../drizzle/queries/alerts/store-alerts'
import { SYNC_DUTY } from '../../../drizzle/queries/search/search-outbox'
import { createScheduler } from '../../../src/jobs/scheduler'
import { judgeHealth } from '../../../src/operations/alerts/judge-health'
import { addWatch } from '../../../src/watches/change-watch'
import { takeWork } from '../../../src/work/take-work'
import { createWebhookRunner } from '../../../src/work/webhook-runner'
import { insertSource } from '../../jobs/job-rows'
import { TEST_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'
import { QUICK } from '../../watches/quick-retries'

setDefaultTimeout(TEST_TIMEOUT_MS)

const { sql, url } = await createTestDatabase()
const log = pino({ level: 'silent' })
const leader = createLeader(url, 'judge of the test')
afterAll(() => leader.stop())

const OWNER = { owner: crypto.randomUUID(), accountId: null, keyHash: null, createdBy: 'tester' }
const BASE_URL = 'https://parcels.example'

/** One minute of judging. An alert ends after its value has been low for five of these minutes. */
const judge = async ({ minuteMs = 0 } = {}) => {
  const lead = await leader.lead()
  if (lead === null) throw new Error('another process leads')
  await judgeHealth(sql, lead, { folders: [], baseUrl: BASE_URL, minuteMs })
}

/** A receiver on this machine, and a watch of alerts that sends to it. */
const listen = async (answer: (turn: number) => Response = () => new Response('ok'), owner: object = OWNER) => {
  const requests: { headers: Record<string, string>; body: string }[] = []
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: async (request) => {
      const turn = requests.push({ headers: Object.fromEntries(request.headers), body: await request.text() }) - 1
      return answer(turn)
    },
  })
  afterAll(() => server.stop(true))
  const webhook_url = `http://127.0.0.1:${server.port}/hook`
  const { id, secret } = (await sql.begin((tx) =>
    addWatch(tx, { ...OWNER, ...owner }, { kind: 'alerts', webhook_url }, { allowPrivate: true }),
  )) as { id: string; secret: string }
  const told = () =>
    requests.map(({ body }) => {
      const { data } = JSON.parse(body)
      return `${data.state} ${data.rule}: ${data.alerts.map(({ subject }: { subject: string }) => subject).join(' ')}`
    })
  return { id, secret, requests, told }
}
const never = new AbortController().signal
/** Sends what is due. */
const send = async () => {
  const runner = createWebhookRunner({ ...QUICK })
  while (await takeWork({ sql, log, runner }, { signal: never }));
}
const isPending = async (watch: string) =>
  (await sql`select from webhook_deliveries where watch_id = ${watch} and status = 'pending'`).length > 0

/** A watch whose receiver is gone: an alert that a test can raise and end. */
const addGoneReceiver = async (receiver: string) => {
  const { id } = (await sql.begin((tx) =>
    addWatch(tx, OWNER, { kind: 'source', source: 'elm', webhook_url: `${receiver}/hook` }, { allowPrivate: true }),
  )) as { id: string }
  const set = (isGone: boolean) => sql`update watches set gone_at = ${isGone ? sql`now()` : null} where id = ${id}`
  return { goes: () => set(true), returns: () => set(false) }
}
await insertSource(sql, 'elm', 'arcgis-rest')
// There is an index, which can fall behind.
await sql`insert into leaders (duty, owner, term, expires_at) values (${SYNC_DUTY}, 'x', 1, now())`
const alertsOf = async (rule: string, subject: string) =>
  (await sql`select * from alerts where rule = ${rule} and subject = ${subject} order by id`).map((row) => ({ ...row }))

test('an alert sends one signed message when it is raised and one when it ends, with a link to the console', async () => {
  const { id, secret, requests, told } = await listen()
  const receiver = await addGoneReceiver('https://one.example')
  await receiver.goes()
  for (let minute = 0; minute < 3; minute++) await judge()
  await send()
  expect(told()).toEqual(['raised webhook_gone: https://one.example'])
  const [{ headers, body } = { headers: {}, body: '' }] = requests
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  const [alert] = await alertsOf('webhook_gone', 'https://one.example')
  expect(JSON.parse(body)).toEqual({
    type: 'alerts',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      ...{ watch_id: id, rule: 'webhook_gone', state: 'raised', count: 1 },
      ...{ title: ruleOf('webhook_gone').title, means: ruleOf('webhook_gone').means },
      advice: ruleOf('webhook_gone').advice,
      alerts: [
        {
          ...{ id: alert?.id, rule: 'webhook_gone', subject: 'https://one.example', state: 'raised', value: 1 },
          ...{ threshold: null, resolved_at: null, raised_at: alert?.raised_at.toISOString() },
          text: 'The webhook receiver https://one.example answered with status 410 (gone), so its watch was stopped.',
          console_url: `${BASE_URL}/app/watches`,
        },
      ],
      console_url: `${BASE_URL}/app/console/alerts`,
    },
  })
  expect((await countRaised(sql)).map((row) => ({ ...row }))).toEqual([
    { rule: 'webhook_gone', raised: 1, silenced: 0 },
  ])
  await receiver.returns()
  for (let minute = 0; minute < 3; minute++) await judge()
  await send()
  expect(told().slice(1)).toEqual(['resolved webhook_gone: https://one.example'])
  expect(await alertsOf('webhook_gone', 'https://one.example')).toMatchObject([{ resolved_at: expect.any(Date) }])
  expect(await countRaised(sql)).toHaveLength(0)
  await sql`update watches set active = false where id = ${id}`
})

test('a value near the threshold raises one alert, which ends only after five low minutes', async () => {
  const { id, told } = await listen()
  const threshold = ruleOf('search_lag').threshold?.byDefault ?? 0
  const { raiseAt, keepAt } = levelsOf(threshold)
  const lag = async (minutes: number) => {
    await sql`delete from search_outbox`
    await sql`
      insert into search_outbox (kind, id, seq, changed_at)
      values ('parcel', uuidv7(), nextval('search_outbox_seq'), now() - ${minutes} * interval '1 minute')`
  }
  const minuteMs = 60_000
  await lag(raiseAt - 0.1)
  await judge({ minuteMs })
  expect(await alertsOf('search_lag', '')).toHaveLength(0)
  for (const minutes of [raiseAt + 0.1, keepAt + 0.1, raiseAt + 0.1, keepAt + 0.1, keepAt - 0.1]) {
    await lag(minutes)
    await judge({ minuteMs })
  }
  // It has been low for less than five minutes, and then it is high again.
  expect(await alertsOf('search_lag', '')).toMatchObject([{ resolved_at: null, clear_since: expect.any(Date) }])
  await lag(keepAt + 0.1)
  await judge({ minuteMs })
  expect(await alertsOf('search_lag', '')).toMatchObject([{ resolved_at: null, clear_since: null }])
  await sql`delete from search_outbox`
  await judge({ minuteMs })
  // As if the clock of PostgreSQL had been set back since.
  await sql`update alerts set clear_since = clear_since + interval '1 hour' where rule = 'search_lag'`
  await judge({ minuteMs })
  await sql`update alerts set clear_since = clear_since - interval '5 minutes' where rule = 'search_lag'`
  await judge({ minuteMs })
  await send()
  expect(told()).toEqual(['raised search_lag: ', 'resolved search_lag: '])
  await sql`update watches set active = false where id = ${id}`
})

test('hundreds of alerts in one minute are sent as one message, which names 50 of them', async () => {
  const { id, requests } = await listen()
  await sql`
    insert into watches (owner, created_by, kind, source, webhook_url, webhook_secret, receiver, after_version, gone_at)
    select uuidv7(), 'flood', 'source', 'elm', 'https://r' || n || '.example/', 'whsec_', 'https://r' || n || '.example', 0, now()
    from generate_series(1, 300) n`
  await judge()
  await send()
  const bodies = requests.map(({ body }) => JSON.parse(body).data)
  expect(bodies.map(({ count, alerts }) => [count, alerts.length])).toEqual([[300, 50]])
  await sql`delete from watches where created_by = 'flood'`
  await sql`update watches set active = false where id = ${id}`
  for (let minute = 0; minute < 2; minute++) await judge()
})

test('a receiver that was down gets the messages it missed, in order and once each', async () => {
  let isDown = true
  const taken: string[] = []
  const { id, requests } = await listen((turn) => {
    if (isDown) return new Response('', { status: 503 })
    taken.push(requests[turn]?.headers['webhook-id'] ?? '')
    return new Response('ok')
  })
  const receiver = await addGoneReceiver('https://two.example')
  for (let round = 0; round < 3; round++) {
    await receiver.goes()
    await judge()
    await send()
    await receiver.returns()
    await judge()
    await judge()
    await send()
  }
  expect(taken).toEqual([])
  isDown = false
  await waitFor(async () => {
    await send()
    return !(await isPending(id))
  })
  expect(new Set(taken).size).toBe(taken.length)
  const states = taken.map((id) => {
    const sent = requests.findLast(({ headers }) => headers['webhook-id'] === id)
    return JSON.parse(sent?.body ?? '').data.state
  })
  expect(states).toEqual(['raised', 'resolved', 'raised', 'resolved', 'raised', 'resolved'])
  // All messages of a round name the same alert, and each round has another one.
  expect(await alertsOf('webhook_gone', 'https://two.example')).toHaveLength(3)
  await sql`update watches set active = false where id = ${id}`
})

test('a silenced alert sends nothing; if it is still raised when the silence ends, it is sent then', async () => {
  const { id, told } = await listen()
  const receiver = await addGoneReceiver('https://quiet.example')
  const alert = async () => (await alertsOf('webhook_gone', 'https://quiet.example')).at(-1)
  const silence = async (until: string | null) =>
    silenceAlert(sql, (await alert())?.id, { until, reason: 'moves', actor: 'tester' })
  await receiver.goes()
  await judge()
  await silence(new Date(Date.now() + 3_600_000).toISOString())
  await receiver.returns()
  await judge()
  await judge()
  // It is raised again, and the new alert inherits the silence.
  await receiver.goes()
  await judge()
  await send()
  expect(told()).toEqual(['raised webhook_gone: https://quiet.example', 'resolved webhook_gone: https://quiet.example'])
  expect(await alert()).toMatchObject({ told_at: null, silenced_by: 'tester', silence_reason: 'moves' })
  expect((await countRaised(sql)).map((row) => ({ ...row }))).toEqual([
    { rule: 'webhook_gone', raised: 1, silenced: 1 },
  ])
  await silence(null)
  await judge()
  await send()
  expect(told().slice(2)).toEqual(['raised webhook_gone: https://quiet.example'])
  // An alert that was never sent ends without a message.
  await receiver.returns()
  await judge()
  await judge()
  await silence(new Date(Date.now() + 3_600_000).toISOString())
  await receiver.goes()
  await judge()
  await receiver.returns()
  await judge()
  await judge()
  await send()
  expect(told().slice(3)).toEqual(['resolved webhook_gone: https://quiet.example'])
  await sql`update watches set active = false where id = ${id}`
})

test('a rule that is switched off ends its alerts, and another threshold applies in the next minute', async () => {
  const receiver = await addGoneReceiver('https://off.example')
  await receiver.goes()
  await judge()
  await storeRule(sql, 'webhook_gone', { active: false, actor: 'tester' })
  for (let minute = 0; minute < 2; minute++) await judge({ minuteMs: 60_000 })
  expect(await alertsOf('webhook_gone', 'https://off.example')).toMatchObject([{ resolved_at: expect.any(Date) }])
  await storeRule(sql, 'webhook_gone', { active: true, actor: 'tester' })
  await receiver.returns()

  await sql`
    insert into search_outbox (kind, id, seq, changed_at)
    values ('parcel', uuidv7(), nextval('search_outbox_seq'), now() - interval '4 minutes')`
  const countLags = async () => (await sql`select from alerts where rule = 'search_lag' and resolved_at is null`).length
  await judge()
  expect(await countLags()).toBe(0)
  await storeRule(sql, 'search_lag', { threshold: 3, actor: 'tester' })
  await judge()
  expect(await countLags()).toBe(1)
  await storeRule(sql, 'search_lag', { threshold: null, actor: 'tester' })
  await sql`delete from search_outbox`
  for (let minute = 0; minute < 2; minute++) await judge()
})

test('a person who is no longer an admin gets no alerts', async () => {
  const [account] = await sql<{ id: string }[]>`
    insert into accounts (issuer, subject, email, role) values ('https://id.example', 'ada', 'ada@larkspur.example', 'admin')
    returning id`
  const { id, told } = await listen(undefined, { owner: account?.id, accountId: account?.id })
  const receiver = await addGoneReceiver('https://three.example')
  await receiver.goes()
  await judge()
  await sql`update accounts set role = 'member' where id = ${account?.id ?? ''}`
  await send()
  await receiver.returns()
  await judge()
  await judge()
  await send()
  expect(told()).toEqual([])
  await sql`delete from watches where id = ${id}`
})

test('no message waits for a watch whose key was revoked', async () => {
  const keyHash = 'e'.repeat(64)
  await sql`insert into api_keys (name, hashed_key, revoked_at) values ('revoked', ${keyHash}, now())`
  const { id } = await listen(undefined, { keyHash })
  const receiver = await addGoneReceiver('https://five.example')
  await receiver.goes()
  await judge()
  expect(await isPending(id)).toBe(false)
  await receiver.returns()
  for (let minute = 0; minute < 2; minute++) await judge()
  await sql`delete from watches where id = ${id}`
})

test('when the leader changes repeatedly, no message is lost and none is sent twice', async () => {
  const { id, told } = await listen()
  const receiver = await addGoneReceiver('https://four.example')
  const start = () => {
    const options = { databaseUrl: url, sql, log, crawledVendors: [], pollMs: 50, minuteMs: 20 }
    const scheduler = createScheduler(options)
    scheduler.start()
    return scheduler
  }
  let schedulers = [start(), start(), start()]
  const stateIs = async (isRaised: boolean) =>
    waitFor(async () => {
      const last = (await alertsOf('webhook_gone', 'https://four.example')).at(-1)
      return last !== undefined && (last.resolved_at === null) === isRaised
    })
  const ROUNDS = 3
  for (let round = 0; round < ROUNDS; round++) {
    await receiver.goes()
    await stateIs(true)
    // The leader stops in the middle of its work, and another one takes over.
    const [first, ...others] = schedulers
    await first?.stop()
    schedulers = [...others, start()]
    await receiver.returns()
    await stateIs(false)
  }
  await Promise.all(schedulers.map((scheduler) => scheduler.stop()))
  await send()
  expect(told()).toEqual(
    Array.from({ length: ROUNDS }, () => ['raised', 'resolved'])
      .flat()
      .map((state) => `${state} webhook_gone: https://four.example`),
  )
  await sql`update watches set active = false where id = ${id}`
})

test('old alerts and messages are deleted', async () => {
  const count = async () => (await sql`select from alerts union all select from alert_messages`).length
  await sql`update alerts set resolved_at = now() - interval '91 days'`
  await sql`update alert_messages set created_at = now() - interval '91 days'`
  expect(await count()).toBeGreaterThan(5)
  await deleteOldAlerts(sql, { days: 90, limit: 1_000 })
  expect(await count()).toBe(0)
})

test('each rule names its limit, if it has one, and says what to do', () => {
  for (const name of ALERT_RULE_NAMES) {
    const { means, advice, threshold, describe, pathOf } = ruleOf(name)
    expect([name, means.includes('{limit}')]).toEqual([name, threshold !== null])
    expect(advice).toEndWith('.')
    expect(describe('Elm, OR', 3)).toEndWith('.')
    expect(pathOf('elm')).toStartWith('/app/')
  }
})

test('the operator’s guide has every rule, with its default and what to do', async () => {
  const rows = (await Bun.file('docs/operate.md').text())
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  for (const name of ALERT_RULE_NAMES) {
    const { title, advice, threshold } = ruleOf(name)
    const row = rows.find((cells) => cells[2] === `\`${name}\``)
    expect(row).toEqual(['', title, `\`${name}\``, describeRule(name, threshold?.byDefault ?? null), advice, ''])
  }
})
