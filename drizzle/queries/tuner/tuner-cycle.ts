import type { Transaction } from '../../../core/postgres/database'
import type { Signals, TunerConfig } from '../../../core/sources/tuner'

/** Lets one cycle run at a time, across all processes. Others wait here until this transaction ends. */
export const lockTuner = async (tx: Transaction): Promise<void> => {
  await tx`select pg_advisory_xact_lock(hashtext('tuner'))`
}

/** A vendor's settings, the tuner's state, and the signals of its window. Times are in ms since 1970. */
export interface TunerRow extends TunerConfig {
  vendor: string
  state: unknown
  signals: Signals
}

/**
 * Every vendor with its signals, in one query over the window. The vendors' rows are locked until the transaction ends, so that no
 * setting changes between this read and the decision. `minuteMs` is the length of a minute of `signal_window_minutes`. `settleShare` is
 * the share of a window that workers need to follow a change. src/scrape/tuner/signals.ts describes what is counted.
 */
export const listTunerRows = (
  tx: Transaction,
  { minuteMs, settleShare }: { minuteMs: number; settleShare: number },
): Promise<TunerRow[]> => tx<TunerRow[]>`
  with clock as (
    select date_trunc('milliseconds', clock_timestamp()) as at
  ), locked as (
    select * from vendor_concurrency order by vendor for update
  ), vendors as (
    select v.*, clock.at, v.signal_window_minutes * ${minuteMs}::float8 as window_ms,
      to_timestamp((tuner_state->>'changedAt')::float8 / 1000) + case
        when breaker_opened_at is null then ${settleShare}::float8 * v.signal_window_minutes * ${minuteMs}::float8 * interval '1 ms'
        else interval '0' end as since
    from locked v, clock
  ), spans as (
    select *, at - window_ms * interval '1 ms' as window_from, greatest(at - window_ms * interval '1 ms', since) as span_from
    from vendors
  ), live as (
    select s.vendor, sum(t.running) as running, sum(t.queued) as queued
    from source_tallies t join sources s using (source) group by s.vendor
  )
  select v.vendor, v.mode, min_concurrency as "minConcurrency", max_concurrency as "maxConcurrency",
    target_concurrency as "targetConcurrency", slow_threshold_ms as "slowThresholdMs",
    fast_threshold_ms as "fastThresholdMs", step_size as "stepSize", window_ms as "windowMs", tuner_state as state,
    json_build_object(
      'at', (extract(epoch from v.at) * 1000)::float8,
      'finished', coalesce(counted, 0), 'done', coalesce(done, 0), 'notFound', coalesce(not_found, 0),
      'throttled', coalesce(throttled, 0), 'blocked', coalesce(blocked, 0), 'timeouts', coalesce(timeouts, 0),
      'otherFailures', coalesce(counted - done - not_found - throttled - blocked - timeouts, 0),
      'retryAfterMs', coalesce(retry_after_ms, 0), 'p50Ms', p50_ms, 'p95Ms', p95_ms,
      'goodSlots', coalesce(round((good_ms / nullif(extract(epoch from v.at - v.span_from) * 1000, 0))::numeric, 2), 0),
      'running', coalesce(live.running, 0), 'queued', coalesce(live.queued, 0)
    ) as signals
  from spans v
  left join lateral (
    select count(*) filter (where fresh) as counted,
      count(*) filter (where fresh and outcome = 'done') as done,
      count(*) filter (where fresh and outcome = 'not_found') as not_found,
      count(*) filter (where fresh and outcome = 'throttled') as throttled,
      count(*) filter (where fresh and outcome = 'blocked') as blocked,
      count(*) filter (where fresh and outcome = 'timeout') as timeouts,
      percentile_disc(0.5) within group (order by duration_ms) filter (where fresh and outcome = 'done') as p50_ms,
      percentile_disc(0.95) within group (order by duration_ms) filter (where fresh and outcome = 'done') as p95_ms,
      sum(duration_ms) filter (where outcome = 'done' and ended_at > v.span_from) as good_ms,
      round(greatest(0, max(extract(epoch from ended_at - v.at) * 1000 + retry_after_ms)))::float8 as retry_after_ms
    from (
      select outcome, duration_ms, retry_after_ms, ended_at,
        ended_at > v.span_from and (v.since is null or ended_at - duration_ms * interval '1 ms' >= v.since) as fresh
      from scrape_attempts a where a.vendor = v.vendor and a.ended_at > v.window_from and a.ended_at <= v.at
    ) a
  ) ended on true
  left join live on live.vendor = v.vendor
  order by v.vendor`

export interface TunerResult {
  vendor: string
  target: number
  /** The target or the breaker changed. */
  changed: boolean
  reason: string
  state: object
  breakerOpenedAt: number | null
}

/** Writes the results of a cycle for all vendors. Fields that callers see are only written if something changed. */
export const writeTunerResults = async (tx: Transaction, results: readonly TunerResult[]): Promise<void> => {
  await tx`
    update vendor_concurrency v set target_concurrency = r.target, tuner_state = r.state,
      breaker_opened_at = to_timestamp(r."breakerOpenedAt" / 1000),
      last_signal = case when r.changed then r.reason else v.last_signal end,
      last_tuned_at = case when r.changed then now() else v.last_tuned_at end,
      updated_at = case when r.changed then now() else v.updated_at end,
      updated_by = case when r.changed then 'auto' else v.updated_by end
    from json_to_recordset(${JSON.stringify(results)}::text::json) as r (
      vendor text, target int, changed boolean, reason text, state jsonb, "breakerOpenedAt" float8
    ) where v.vendor = r.vendor`
}
