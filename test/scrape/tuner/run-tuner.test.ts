import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { VENDORS } from '../../../adapters/registry'
import { forgetAttempts } from '../../../drizzle/queries/jobs/forget-attempts'
import { foldTallies } from '../../../drizzle/queries/tuner/fold-tallies'
import { takeProbe } from '../../../drizzle/queries/tuner/take-probe'
import { listTunerRows } from '../../../drizzle/queries/tuner/tuner-cycle'
import { seed } from '../../../drizzle/seed/seed'
import { runTuner } from '../../../src/scrape/run-tuner'
import { SETTLE_SHARE } from '../../../src/scrape/tuner/settled-at'
import { type Attempt, gatherSignals } from '../../../src/scrape/tuner/signals'
import { createTestDatabase, waitFor } from '../../support/servers'

const { sql } = await createTestDatabase()
await seed(sql, VENDORS)
const VENDOR = 'vgsi'
const tune = () => sql.begin((tx) => runTuner(tx))

beforeEach(async () => {
  await sql`truncate scrape_attempts, tuning_log`
  await sql`update vendor_concurrency set target_concurrency = 2, mode = 'auto', tuner_state = null, breaker_opened_at = null,
    probed_at = null, last_signal = null, last_tuned_at = null, updated_by = null`
})

const insertAttempts = (attempts: readonly (Attempt & { vendor?: string })[]) => sql`
  insert into scrape_attempts (job_id, attempt, vendor, outcome, duration_ms, retry_after_ms, ended_at)
  select uuidv7(), 1, coalesce(vendor, ${VENDOR}), outcome, "durationMs", "retryAfterMs", to_timestamp("endedAt" / 1000)
  from json_to_recordset(${JSON.stringify(attempts)}::text::json) as r (
    vendor text, outcome text, "durationMs" int, "retryAfterMs" int, "endedAt" float8)`

/** Successful attempts that fill `slots` slots of the last minutes. */
const good = (slots: number, minutes = 10): Attempt[] =>
  Array.from({ length: slots * minutes * 60 }, (_, index) => ({
    outcome: 'done',
    endedAt: Date.now() - (index / slots) * 1_000,
    durationMs: 1_000,
    retryAfterMs: null,
  }))
const decisionOf = async (vendor = VENDOR) => {
  const decision = (await tune()).find((row) => row.vendor === vendor)
  if (decision === undefined) throw new Error(`no decision for ${vendor}`)
  return decision
}

describe('a cycle', () => {
  test('raises a vendor whose slots all succeeded, and logs it with the actor', async () => {
    await insertAttempts(good(2))
    const decision = await decisionOf()
    expect(decision).toMatchObject({ previousTarget: 2, newTarget: 4, changed: true, mode: 'auto' })
    const [row] =
      await sql`select target_concurrency, last_signal, updated_by, last_tuned_at is not null as tuned from vendor_concurrency where vendor = ${VENDOR}`
    expect(row).toEqual({ target_concurrency: 4, last_signal: decision.reason, updated_by: 'auto', tuned: true })
    const entries =
      await sql`select vendor, previous_target, new_target, reason, actor, (signals->>'done')::int as done from tuning_log`
    expect([...entries]).toEqual([
      {
        vendor: VENDOR,
        previous_target: 2,
        new_target: 4,
        reason: decision.reason,
        actor: 'auto',
        done: decision.signals.done,
      },
    ])
  })

  test('decides for every vendor, and leaves those without signals alone', async () => {
    const decisions = await tune()
    expect(decisions).toHaveLength(24)
    for (const decision of decisions) {
      expect(decision).toMatchObject({ changed: false, reason: 'no change: 0 finished in the window, fewer than 5' })
    }
    expect(await sql`select from tuning_log`).toHaveLength(0)
    expect(
      await sql`select from vendor_concurrency where last_signal is not null or updated_by is not null`,
    ).toHaveLength(0)
  })

  test('takes one step per window, even when many cycles run together', async () => {
    await insertAttempts(good(2))
    const cycles = await Promise.all(Array.from({ length: 4 }, () => tune()))
    expect(cycles.flat().filter(({ changed }) => changed)).toHaveLength(1)
    expect(await sql`select from tuning_log`).toHaveLength(1)
  })

  test('waits for a settings change in progress, and uses the new settings', async () => {
    await insertAttempts(good(2))
    let cycle: ReturnType<typeof decisionOf> | undefined
    await sql.begin(async (tx) => {
      await tx`update vendor_concurrency set mode = 'manual', target_concurrency = 3 where vendor = ${VENDOR}`
      cycle = decisionOf()
      await waitFor(
        async () =>
          (await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
            .length > 0,
      )
    })
    expect(await cycle).toMatchObject({ mode: 'manual', previousTarget: 3, newTarget: 3, changed: false })
  })

  test('opens the breaker when more than half fail, and probes once a minute until one succeeds', async () => {
    const now = Date.now()
    await insertAttempts(
      Array.from({ length: 20 }, (_, index) => ({
        outcome: 'network',
        endedAt: now - index * 1000,
        durationMs: 90,
        retryAfterMs: null,
      })),
    )
    expect(await takeProbe(sql, VENDOR)).toBe(true)
    expect(await takeProbe(sql, VENDOR)).toBe(true)
    expect(await decisionOf()).toMatchObject({ newTarget: 1, changed: true })
    const turns = await Promise.all(Array.from({ length: 5 }, () => takeProbe(sql, VENDOR)))
    expect(turns.filter(Boolean)).toHaveLength(1)
    await sql`update vendor_concurrency set probed_at = probed_at - interval '1 minute' where vendor = ${VENDOR}`
    // The breaker has been open for two minutes.
    await sql`update vendor_concurrency set breaker_opened_at = breaker_opened_at - interval '2 minutes',
      tuner_state = tuner_state || jsonb_build_object('changedAt', (tuner_state->>'changedAt')::float8 - 120000,
        'breakerOpenedAt', (tuner_state->>'breakerOpenedAt')::float8 - 120000) where vendor = ${VENDOR}`
    expect(await takeProbe(sql, VENDOR)).toBe(true)
    await sql`truncate scrape_attempts`
    await insertAttempts([{ outcome: 'done', endedAt: Date.now(), durationMs: 700, retryAfterMs: null }])
    expect(await decisionOf()).toMatchObject({
      newTarget: 1,
      changed: true,
      reason: expect.stringContaining('breaker closed'),
    })
    expect(await takeProbe(sql, VENDOR)).toBe(true)
    expect(await sql`select from tuning_log`).toHaveLength(2)
  })

  test('an open breaker is not probed before Retry-After has passed, whether it came before or from a probe', async () => {
    const throttled = (endedAt: number, retryAfterMs: number): Attempt => {
      return { outcome: 'throttled', endedAt, durationMs: 90, retryAfterMs }
    }
    const pass = async (minutes: number) => {
      await sql`update vendor_concurrency set probed_at = probed_at - ${minutes} * interval '1 minute',
        breaker_opened_at = breaker_opened_at - ${minutes} * interval '1 minute',
        tuner_state = tuner_state || jsonb_build_object('holdUntil', (tuner_state->>'holdUntil')::float8 - ${minutes * 60_000}::float8)
        where vendor = ${VENDOR}`
      await sql`update scrape_attempts set ended_at = ended_at - ${minutes} * interval '1 minute'`
    }
    const now = Date.now()
    await insertAttempts(Array.from({ length: 20 }, (_, index) => throttled(now - index * 1000, 3_600_000)))
    expect(await decisionOf()).toMatchObject({ newTarget: 1, reason: expect.stringContaining('by Retry-After') })
    await sql`truncate scrape_attempts`
    expect(await takeProbe(sql, VENDOR)).toBe(false)
    await pass(59)
    expect(await takeProbe(sql, VENDOR)).toBe(false)
    await pass(1)
    expect(await takeProbe(sql, VENDOR)).toBe(true)
    // The tuner has not read it yet.
    await insertAttempts([throttled(Date.now(), 300_000)])
    await pass(2)
    expect(await takeProbe(sql, VENDOR)).toBe(false)
    await pass(3)
    expect(await takeProbe(sql, VENDOR)).toBe(true)
  })

  test('an open breaker is probed an hour after a Retry-After of a day', async () => {
    const day = { outcome: 'throttled', durationMs: 90, retryAfterMs: 86_400_000 }
    const now = Date.now()
    await insertAttempts(Array.from({ length: 20 }, (_, index) => ({ ...day, endedAt: now - index * 1000 })))
    await tune()
    expect(await takeProbe(sql, VENDOR)).toBe(false)
    await sql`update vendor_concurrency set breaker_opened_at = breaker_opened_at - interval '61 minutes',
      tuner_state = tuner_state || jsonb_build_object('holdUntil', (tuner_state->>'holdUntil')::float8 - 3660000)`
    await sql`truncate scrape_attempts`
    await insertAttempts([{ ...day, endedAt: now - 60 * 60_000 }])
    expect(await takeProbe(sql, VENDOR)).toBe(true)
  })

  test('obeys a Retry-After received under the previous target', async () => {
    await insertAttempts([{ outcome: 'throttled', endedAt: Date.now() - 1_000, durationMs: 90, retryAfterMs: 600_000 }])
    await sql`update vendor_concurrency set tuner_state = ${sql.json({ changedAt: Date.now() - 500 })} where vendor = ${VENDOR}`
    await tune()
    const [row] = await sql<{ holdUntil: number }[]>`
      select (tuner_state->>'holdUntil')::float8 as "holdUntil" from vendor_concurrency where vendor = ${VENDOR}`
    expect(row?.holdUntil).toBeGreaterThan(Date.now() + 590_000)
  })

  test('deletes attempts older than any window, including those of vendors without settings', async () => {
    const at = (minutes: number, vendor = VENDOR) => ({
      vendor,
      outcome: 'done',
      endedAt: Date.now() - minutes * 60_000,
      durationMs: 10,
      retryAfterMs: null,
    })
    await insertAttempts([at(1), at(59), at(61), at(600)])
    for (const vendor of ['a-stranger', 'z-stranger']) await insertAttempts([at(59, vendor), at(61, vendor)])
    await forgetAttempts(sql)
    const left = await sql`select vendor, count(*)::int as n from scrape_attempts group by vendor order by vendor`
    expect([...left]).toEqual([
      { vendor: 'a-stranger', n: 1 },
      { vendor: VENDOR, n: 2 },
      { vendor: 'z-stranger', n: 1 },
    ])
  })
})

test('the query computes the same signals as the simulation', async () => {
  const attempt = fc.record({
    outcome: fc.constantFrom(
      'done',
      'done',
      'done',
      'not_found',
      'throttled',
      'blocked',
      'timeout',
      'network',
      'internal',
    ),
    agoMs: fc.integer({ min: 0, max: 900_000 }),
    durationMs: fc.integer({ min: 0, max: 60_000 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 900_000 }), { nil: null }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(attempt, { maxLength: 60 }),
      fc.option(fc.integer({ min: 0, max: 900_000 }), { nil: null }),
      async (drawn, changedAgoMs) => {
        await sql`truncate scrape_attempts`
        const base = Date.now()
        const attempts = drawn.map(({ agoMs, ...rest }) => ({ ...rest, endedAt: base - agoMs }))
        await insertAttempts(attempts)
        const changedAt = changedAgoMs === null ? null : base - changedAgoMs
        await sql`update vendor_concurrency set tuner_state = ${changedAt === null ? null : sql.json({ changedAt })} where vendor = ${VENDOR}`
        const rows = await sql.begin((tx) => listTunerRows(tx, { minuteMs: 60_000, settleShare: SETTLE_SHARE }))
        const signals = rows.find(({ vendor }) => vendor === VENDOR)?.signals
        const windowMs = 600_000
        const since = changedAt === null ? 0 : changedAt + SETTLE_SHARE * windowMs
        const span = { at: signals?.at ?? 0, windowMs, since }
        const expected = gatherSignals(attempts, span, { running: 0, queued: 0 })
        expect({ ...signals, goodSlots: 0 }).toEqual({ ...expected, goodSlots: 0 })
        expect(signals?.goodSlots).toBeCloseTo(expected.goodSlots, 1)
      },
    ),
    { numRuns: 100, seed: 5 },
  )
})

test('merging the rows of ended processes changes no totals', async () => {
  await sql`insert into source_tallies (source, pid, parcels, queued) values ('oak', 0, 5, 1), ('oak', 2000000001, 7, -1), ('oak', 2000000002, -2, 3)`
  await foldTallies(sql)
  expect([...(await sql`select pid, parcels::int, queued::int from source_tallies where source = 'oak'`)]).toEqual([
    { pid: 0, parcels: 10, queued: 3 },
  ])
})
