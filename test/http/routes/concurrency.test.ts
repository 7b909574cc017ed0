import { beforeEach, describe, expect, test } from 'bun:test'
import { VENDORS } from '../../../adapters/registry'
import { seed } from '../../../drizzle/seed/seed'
import { ADMIN_KEY, createTestApp } from '../test-app'

const { sql, call, readKey } = await createTestApp()
beforeEach(async () => {
  await sql`truncate tuning_log, vendor_concurrency`
  await seed(sql, VENDORS)
})

const patch = (body: unknown, vendor = 'vgsi') => call(`/v1/admin/concurrency/${vendor}`, { method: 'PATCH', body })
const ACTOR = ADMIN_KEY.slice(0, 8)
const vgsi = {
  vendor: 'vgsi',
  min_concurrency: 1,
  max_concurrency: 8,
  target_concurrency: 2,
  mode: 'auto',
  slow_threshold_ms: 8000,
  fast_threshold_ms: 2000,
  step_size: 1,
  signal_window_minutes: 10,
  last_signal: null,
  last_tuned_at: null,
  updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  updated_by: null,
  pause: null,
}

describe('GET vendors', () => {
  test('200: every vendor, by name, for any key', async () => {
    const { body } = await call('/v1/admin/concurrency', { key: await readKey() })
    expect(body.count).toBe(24)
    expect(body).not.toHaveProperty('next')
    expect(body.vendors.find(({ vendor }: { vendor: string }) => vendor === 'vgsi')).toEqual(vgsi)
  })

  test('200: in pages when a limit is given', async () => {
    const first = (await call('/admin/concurrency?limit=20')).body
    expect(first).toMatchObject({ count: 20, next: first.vendors[19].vendor })
    expect((await call(`/admin/concurrency?limit=20&after=${first.next}`)).body).toMatchObject({ count: 4, next: null })
  })
})

describe('PATCH a vendor', () => {
  test('200: the given fields change; the actor is shown and logged', async () => {
    const { status, body } = await patch({ mode: 'manual', target_concurrency: 5 })
    expect(status).toBe(200)
    expect(body).toEqual({ ...vgsi, mode: 'manual', target_concurrency: 5, updated_by: ACTOR })
    expect((await call('/v1/admin/tuning-log?vendor=vgsi')).body).toEqual({
      count: 1,
      entries: [
        {
          id: expect.any(String),
          vendor: 'vgsi',
          previous_target: 2,
          new_target: 5,
          reason: `set by ${ACTOR}: mode manual, target 5`,
          signals: { mode: 'manual', target_concurrency: 5 },
          actor: ACTOR,
          created_at: expect.any(String),
        },
      ],
    })
  })

  test('200: manual freezes the vendor', async () => {
    await patch({ mode: 'manual', target_concurrency: 5 })
    // Attempts before the last change are not counted, so date the change back.
    await sql`update vendor_concurrency set tuner_state = null`
    await sql`insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms) select uuidv7(), 1, 'vgsi', 'throttled', 50 from generate_series(1, 50)`
    const { body } = await call('/v1/admin/concurrency/run-tuner', { method: 'POST' })
    expect(body.decisions.find(({ vendor }: { vendor: string }) => vendor === 'vgsi')).toMatchObject({
      mode: 'manual',
      previous_target: 5,
      new_target: 5,
      changed: false,
      reason: 'manual mode: no change',
      signals: { throttled: 50 },
    })
    await sql`truncate scrape_attempts`
  })

  test('new settings close an open breaker, and the tuner learns again from the next window on', async () => {
    await sql`
      update vendor_concurrency set breaker_opened_at = now(), probed_at = now(), tuner_state = '{"breakerOpenedAt": 1, "changedAt": 1}'
      where vendor = 'vgsi'`
    expect((await patch({ step_size: 2 })).status).toBe(200)
    const [row] = await sql`
      select breaker_opened_at, probed_at, tuner_state from vendor_concurrency where vendor = 'vgsi'`
    expect(row).toEqual({ breaker_opened_at: null, probed_at: null, tuner_state: { changedAt: expect.any(Number) } })
    expect(row?.tuner_state.changedAt).toBeGreaterThan(1)
  })

  test('400: values that contradict each other in the resulting row; both are named', async () => {
    const cases: [object, string][] = [
      [{ min_concurrency: 9 }, 'min_concurrency (9) must not be above max_concurrency (8)'],
      [{ min_concurrency: 3 }, 'min_concurrency (3) must not be above target_concurrency (2)'],
      [{ target_concurrency: 9 }, 'target_concurrency (9) must not be above max_concurrency (8)'],
      [{ max_concurrency: 1 }, 'target_concurrency (2) must not be above max_concurrency (1)'],
      [{ fast_threshold_ms: 8000 }, 'fast_threshold_ms (8000) must be below slow_threshold_ms (8000)'],
      [{ slow_threshold_ms: 1500 }, 'fast_threshold_ms (2000) must be below slow_threshold_ms (1500)'],
    ]
    for (const [body, error] of cases) expect(await patch(body)).toMatchObject({ status: 400, body: { error } })
    expect((await patch({ min_concurrency: 9, max_concurrency: 20, target_concurrency: 12 })).status).toBe(200)
    expect(await sql`select from tuning_log`).toHaveLength(1)
  })

  test('404: an unknown vendor; 403: a read-only key', async () => {
    expect(await patch({ step_size: 2 }, 'none')).toMatchObject({ status: 404, body: { error: 'not found' } })
    const key = await readKey()
    expect((await call('/v1/admin/concurrency/vgsi', { method: 'PATCH', key, body: {} })).status).toBe(403)
    expect((await call('/v1/admin/concurrency/run-tuner', { method: 'POST', key })).status).toBe(403)
  })
})

describe('pause and resume', () => {
  const pause = (body: unknown, { vendor = 'vgsi', key }: { vendor?: string; key?: string } = {}) =>
    call(`/v1/admin/concurrency/${vendor}/pause`, { method: 'PUT', body, ...(key === undefined ? {} : { key }) })
  const resume = (vendor = 'vgsi') => call(`/v1/admin/concurrency/${vendor}/pause`, { method: 'DELETE' })
  const reason = 'The county asked us to stop'

  test('200: the pause is in the list; a second one changes reason and end, and keeps its start; a resume ends it', async () => {
    const { status, body } = await pause({ reason })
    expect(status).toBe(200)
    expect(body).toEqual({ ...vgsi, pause: { since: expect.any(String), until: null, reason, by: ACTOR } })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const longer = { since: body.pause.since, until, reason: 'Until the night', by: ACTOR }
    expect((await pause({ reason: ' Until the night ', until })).body.pause).toEqual(longer)
    const { vendors } = (await call('/v1/admin/concurrency', { key: await readKey() })).body
    expect(vendors.filter((row: { pause: unknown }) => row.pause !== null)).toEqual([{ ...vgsi, pause: longer }])
    expect(await resume()).toMatchObject({ status: 200, body: vgsi })
    // It is not paused any more, so nothing is logged.
    expect(await resume()).toMatchObject({ status: 200, body: vgsi })
    const { entries } = (await call('/v1/admin/tuning-log?vendor=vgsi')).body
    expect(entries.map((entry: { reason: string }) => entry.reason)).toEqual([
      `resumed by ${ACTOR}`,
      `paused by ${ACTOR} until ${until}: Until the night`,
      `paused by ${ACTOR}: ${reason}`,
    ])
  })

  test('after a resume the tuner waits for a whole window, because it learns nothing from the pause', async () => {
    await pause({ reason })
    await sql`update vendor_concurrency set tuner_state = '{"changedAt": 0, "proven": 2}' where vendor = 'vgsi'`
    await resume()
    const [row] = await sql`select tuner_state as state from vendor_concurrency where vendor = 'vgsi'`
    expect(row?.state).toEqual({ changedAt: expect.any(Number) })
    const { decisions } = (await call('/v1/admin/concurrency/run-tuner', { method: 'POST' })).body
    expect(decisions.find(({ vendor }: { vendor: string }) => vendor === 'vgsi').reason).toMatch(
      /^last change \d+ s ago: one step per 600 s$/,
    )
  })

  test('the settings of a paused vendor can be changed, and the pause stays', async () => {
    await pause({ reason })
    expect((await patch({ target_concurrency: 3 })).body).toMatchObject({ target_concurrency: 3, pause: { reason } })
    await call('/v1/admin/concurrency/run-tuner', { method: 'POST' })
    expect((await patch({ step_size: 2 })).body).toMatchObject({ target_concurrency: 3, pause: { reason } })
  })

  test('400: no reason, a blank one, an end in the past or one that is not a time; 403 and 404', async () => {
    const past = '2020-01-01T00:00:00.000Z'
    const cases: [body: unknown, error: string][] = [
      [{}, 'reason is missing'],
      [{ reason: '  ' }, 'reason must be text of 1 to 500 characters'],
      [{ reason: 'x'.repeat(501) }, 'reason must be text of 1 to 500 characters'],
      [{ reason, until: past }, 'until must be in the future'],
      [{ reason, until: 'tomorrow' }, 'until must be a date (UTC) or a time with its offset, in ISO 8601'],
      [{ reason, until: '2099-02-29' }, 'until must be a date (UTC) or a time with its offset, in ISO 8601'],
    ]
    for (const [body, error] of cases) {
      expect(await pause(body)).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } })
    }
    expect((await pause({ reason }, { key: await readKey() })).status).toBe(403)
    expect((await pause({ reason }, { vendor: 'none' })).status).toBe(404)
    expect((await resume('none')).status).toBe(404)
    expect(await sql`select from tuning_log`).toHaveLength(0)
  })
})

describe('the tuner and its log', () => {
  test('200: one cycle, with a decision for every vendor', async () => {
    const { status, body } = await call('/v1/admin/concurrency/run-tuner', { method: 'POST' })
    expect(status).toBe(200)
    expect(body.count).toBe(24)
    expect(Object.keys(body.decisions[0]).sort()).toEqual(
      ['vendor', 'mode', 'previous_target', 'new_target', 'changed', 'reason', 'signals'].sort(),
    )
  })

  test('200: the log is newest first, 50 entries by default', async () => {
    for (let round = 0; round < 3; round++) for (const step_size of [1, 2]) await patch({ step_size })
    await sql`insert into tuning_log (vendor, previous_target, new_target, reason, actor)
      select 'pacs-property-access', 1, 2, 'up ' || n, 'auto' from generate_series(1, 60) n`
    expect((await call('/v1/admin/tuning-log')).body.count).toBe(50)
    const { body } = await call('/v1/admin/tuning-log?limit=500')
    expect(body.count).toBe(66)
    expect(body.entries[0].reason).toBe('up 60')
    expect((await call('/tuning-log?vendor=vgsi')).status).toBe(404)
    expect((await call('/admin/tuning-log?vendor=vgsi&limit=2')).body).toMatchObject({
      count: 2,
      entries: [{ signals: { step_size: 2 } }, { signals: { step_size: 1 } }],
    })
    expect((await call('/v1/admin/tuning-log?vendor=none')).body).toEqual({ count: 0, entries: [] })
  })
})
