import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { SAMPLE_SOURCE } from '../../../dev/sample-county/county'
import { countOutbox } from '../../../drizzle/queries/search/search-outbox'
import type { Role } from '../../../src/roles/role'
import { readBothSides } from '../../search/expected-index'
import { waitFor } from '../../support/servers'
import { ADMIN_KEY, type Load } from './load'
import type { RoleProcess } from './role-process'
import type { Servers } from './servers'

export interface Verdict {
  check: string
  passed: boolean
  detail: string
}

/** Job errors that unreliable portals, killed workers and cancelling callers cause. */
const EXPECTED_ERRORS = [
  'network',
  'timeout',
  'throttled',
  'cancelled',
  'worker_lost',
  'worker_stopped',
  'server_unavailable',
]
/** pino's `error` and `fatal`: a role logs bugs with these levels. */
const BUG_LEVEL = 50
const QUIET_MS = 240_000

/** Waits until no job is queued or running and the index has every change. `hasSync`: false where no process updates the index. */
export const waitUntilQuiet = async (
  { sql }: Pick<Servers, 'sql'>,
  say: (line: string) => void,
  { hasSync = true } = {},
): Promise<string | null> => {
  const deadline = performance.now() + QUIET_MS
  for (let turn = 0; performance.now() < deadline; turn++) {
    const [row] = await sql<{ jobs: number }[]>`
      select count(*)::int as jobs from scrape_jobs where status in ('queued', 'running')`
    const [jobs, changes] = [row?.jobs ?? 0, hasSync ? await countOutbox(sql) : 0]
    if (jobs === 0 && changes === 0) return null
    if (turn % 10 === 0) say(`waiting for ${jobs} jobs and ${changes} changes of the index`)
    await Bun.sleep(500)
  }
  return `jobs or changes were left after ${QUIET_MS / 1_000} s`
}

/** Waits until the index, which the sync role builds first, answers searches. */
export const waitUntilIndexed = async ({ sql }: Pick<Servers, 'sql'>, roles: readonly RoleProcess[]): Promise<void> => {
  await waitFor(async () => {
    if ((await countOutbox(sql)) > 0) return false
    const answer = await ask(roles, '/v1/search?q=larkspur&limit=1')
    return answer.ok && !answer.headers.has('warning')
  }, QUIET_MS)
}

/**
 * Checks what must hold once all work has ended, for the roles that ran. `expectedErrors`: codes of jobs that may fail.
 */
export const audit = async (
  servers: Servers,
  roles: readonly RoleProcess[],
  load: Pick<Load, 'jobIds'>,
  expectedErrors: readonly string[] = EXPECTED_ERRORS,
): Promise<Verdict[]> => {
  const checks: [check: (audited: Audited) => Verdict | Promise<Verdict>, needs?: Role[]][] = [
    [noJobLost],
    [everyJobEndedOnce],
    [everyScrapeStoredOnce],
    [jobsEndedAsExpected],
    [portalWasAsked],
    [indexIsDatabase, ['sync']],
    [findingsAgree],
    [linksAgree],
    [talliesAgree, ['api']],
    [archiveIsWhole, ['api', 'tiles']],
    [noBugsInLogs],
  ]
  const verdicts: Verdict[] = []
  for (const [check, needs = []] of checks) {
    if (!needs.every((need) => roles.some(({ role }) => role === need))) continue
    try {
      verdicts.push(await check({ ...servers, roles, load, expectedErrors }))
    } catch (error) {
      verdicts.push({ check: check.name, passed: false, detail: `could not be checked: ${error}` })
    }
  }
  return verdicts
}

type Audited = Servers & {
  roles: readonly RoleProcess[]
  load: Pick<Load, 'jobIds'>
  expectedErrors: readonly string[]
}

const verdict = (check: string, faults: readonly string[], good: string): Verdict => ({
  check,
  passed: faults.length === 0,
  detail: faults.length === 0 ? good : faults.join('; '),
})

const noJobLost = async ({ sql, load: { jobIds } }: Audited): Promise<Verdict> => {
  const [row] = await sql<{ known: number; open: number; all: number }[]>`
    select count(*) filter (where told.id is not null)::int as known, count(*)::int as all,
      count(*) filter (where status not in ('done', 'error'))::int as open
    from scrape_jobs left join unnest(${[...jobIds]}::uuid[]) told (id) using (id)`
  const { known = 0, open = 0, all = 0 } = row ?? {}
  return verdict(
    'no job is lost',
    [
      ...(known === jobIds.size ? [] : [`${jobIds.size - known} jobs that callers received are missing`]),
      ...(open === 0 ? [] : [`${open} jobs have not ended`]),
    ],
    `${all} jobs, ${jobIds.size} of them from callers`,
  )
}

const everyJobEndedOnce = async ({ sql }: Audited): Promise<Verdict> => {
  const rows = await sql<{ id: string; status: string; ends: string[] }[]>`
    select j.id, j.status, array_agg(e.status::text) filter (where e.id is not null) as ends
    from scrape_jobs j left join soak_ended e using (id) where j.status in ('done', 'error')
    group by j.id having array_agg(e.status) is distinct from array[j.status] limit 10`
  return verdict(
    'every job ended once',
    rows.map(({ id, status, ends }) => `${id} is ${status}, and ended as ${ends ?? 'nothing'}`),
    'each ended once, with its current status',
  )
}

const everyScrapeStoredOnce = async ({ sql }: Audited): Promise<Verdict> => {
  const [row] = await sql<{ pairs: number; odd: number; example: string | null }[]>`
    with stored as (
      select transaction, source, source_parcel_id, count(*) as stored from soak_stored group by 1, 2, 3
    ), done as (
      select transaction, source, source_parcel_id, count(*) as done from soak_ended where status = 'done' group by 1, 2, 3
    ), paired as (
      select source || '/' || source_parcel_id as key, coalesce(stored, 0) as stored, coalesce(done, 0) as done
      from stored full join done using (transaction, source, source_parcel_id)
    )
    select count(*)::int as pairs, count(*) filter (where stored <> 1 or done <> 1)::int as odd,
      min(key || ' stored ' || stored || ', done ' || done) filter (where stored <> 1 or done <> 1) as example
    from paired`
  const { pairs = 0, odd = 0, example } = row ?? {}
  return verdict(
    'every scrape is stored once, in the transaction that ends its job',
    odd === 0 ? [] : [`${odd} of ${pairs} do not pair: ${example}`],
    `${pairs} scrapes`,
  )
}

const jobsEndedAsExpected = async ({ sql, expectedErrors }: Audited): Promise<Verdict> => {
  const rows = await sql<{ code: string; n: number }[]>`
    select coalesce(error_code, 'none') as code, count(*)::int as n from scrape_jobs where status = 'error' group by 1 order by 1`
  const name = ({ code, n }: { code: string; n: number }) => `${n} ${code}`
  return verdict(
    'jobs fail only with expected errors',
    rows.filter(({ code }) => !expectedErrors.includes(code)).map(name),
    rows.map(name).join(', ') || 'none failed',
  )
}

const portalWasAsked = async ({ sql, asked }: Audited): Promise<Verdict> => {
  const rows = await sql<{ id: string; done: number }[]>`
    select source_parcel_id as id, count(*)::int as done from soak_ended where status = 'done' group by 1`
  const unasked = rows.filter(({ id, done }) => (asked.get(id) ?? 0) < done)
  const pages = [...asked.values()].reduce((sum, times) => sum + times, 0)
  return verdict(
    'every job that is done has requested its page',
    unasked.slice(0, 5).map(({ id, done }) => `${id}: ${done} done, ${asked.get(id) ?? 0} requests`),
    `${pages} pages requested`,
  )
}

const indexIsDatabase = async ({ sql, meili, meilis }: Audited): Promise<Verdict> => {
  const sides = await Promise.all((meilis.length === 0 ? [meili] : meilis).map((one) => readBothSides(sql, one)))
  const [{ wanted }] = sides as [(typeof sides)[number]]
  const faults: string[] = []
  for (const kind of ['parcels', 'entities'] as const) {
    const documents = sides.flatMap(({ indexed }) => indexed[kind])
    const found = new Map(documents.map((document) => [document.id, document]))
    const differing = wanted[kind].filter(
      (document) => !isDeepStrictEqual(places(found.get(document.id)), places(document)),
    )
    if (documents.length !== wanted[kind].length)
      faults.push(`${documents.length} ${kind} indexed, ${wanted[kind].length} stored`)
    const [example] = differing
    if (example !== undefined) {
      faults.push(
        `${differing.length} ${kind} differ: ${JSON.stringify(found.get(example.id))} instead of ${JSON.stringify(example)}`,
      )
    }
  }
  return verdict(
    'index equals database, row by row',
    faults,
    `${wanted.parcels.length} parcels, ${wanted.entities.length} entities`,
  )
}

/** Meilisearch 1.21 reads `43.88146995` as `43.881469949999996`: a thousandth of a millimeter does not count as a difference. */
const places = (document: object | undefined): object => {
  const { lat, lon, ...rest } = (document ?? {}) as { lat?: number | null; lon?: number | null }
  return { ...rest, lat: lat?.toFixed(10), lon: lon?.toFixed(10) }
}

const findingsAgree = async ({ sql }: Audited): Promise<Verdict> => {
  const [row] = await sql<{ scraped: number; findings: number; odd: number; example: string | null }[]>`
    with sides as (
      select p.source_parcel_id as id,
        array(select (f ->> 'severity') || ' ' || (f ->> 'category') || ' ' || (f ->> 'suggested_action')
          from jsonb_array_elements(coalesce(p.scrape_data -> 'review_findings', '[]')) f order by 1) as told,
        array(select f.severity || ' ' || f.category || ' ' || f.suggested_action from findings f
          where f.parcel_id = p.id order by 1) as kept
      from parcels p where p.scraped_at is not null
    )
    select count(*)::int as scraped, coalesce(sum(cardinality(kept)), 0)::int as findings,
      count(*) filter (where told <> kept)::int as odd, min(id) filter (where told <> kept) as example
    from sides`
  const { scraped = 0, findings = 0, odd = 0, example } = row ?? {}
  return verdict(
    'findings match the last scrape',
    odd === 0 ? [] : [`${odd} parcels have other findings, for example ${example}`],
    `${findings} findings of ${scraped} scraped parcels`,
  )
}

const linksAgree = async ({ sql }: Audited): Promise<Verdict> => {
  const [row] = await sql<{ links: number; odd: number }[]>`
    select coalesce(sum(linked_parcel_count), 0)::int as links, count(*) filter (where linked_parcel_count <> (
      select count(*) from live_parcels p where p.owner_name_normalized = e.name_normalized))::int as odd
    from entities e`
  const { links = 0, odd = 0 } = row ?? {}
  return verdict(
    'entities count their parcels',
    odd === 0 ? [] : [`${odd} entities have a wrong count`],
    `${links} links`,
  )
}

const talliesAgree = async ({ sql, roles }: Audited): Promise<Verdict> => {
  const answer = await ask(roles, '/v1/admin/sources/health')
  const { sources } = (await answer.json()) as { sources: { source: string }[] }
  const told = new Map(sources.map((row) => [row.source, row as Record<string, unknown>]))
  const counted = await sql<Record<string, unknown>[]>`
    select source, (select count(*)::int from live_parcels p where p.source = s.source) as parcel_count,
      count(id) filter (where status = 'queued')::int as queued, count(id) filter (where status = 'running')::int as running,
      count(id) filter (where status = 'error' and finished_at > now() - interval '24 hours')::int as errors_24h
    from sources s left join scrape_jobs j using (source) where s.vendor = ${SAMPLE_SOURCE.vendor} group by source`
  const faults = counted.flatMap((row) =>
    Object.entries(row)
      .filter(([name, value]) => told.get(String(row.source))?.[name] !== value)
      .map(
        ([name, value]) =>
          `${name} of ${row.source}: reported ${told.get(String(row.source))?.[name]}, counted ${value}`,
      ),
  )
  return verdict('source health reports the right counts', faults, `${counted.length} sources`)
}

const archiveIsWhole = async ({ roles }: Audited): Promise<Verdict> => {
  const check = 'the published archive is complete'
  const manifest = await ask(roles, '/tiles/manifest.json')
  if (manifest.status !== 200) return verdict(check, [`the manifest answers ${manifest.status}`], '')
  const { parcels } = (await manifest.json()) as { parcels: { url: string; size_bytes: number } }
  const archive = await ask(roles, new URL(parcels.url, 'http://localhost').pathname)
  const sizeBytes = (await archive.bytes()).length
  return verdict(
    check,
    archive.status === 200 && sizeBytes === parcels.size_bytes ? [] : [`${archive.status}, ${sizeBytes} bytes`],
    `${sizeBytes} bytes`,
  )
}

const ask = (roles: readonly RoleProcess[], path: string): Promise<Response> =>
  fetch(`${roles.find(({ url }) => url !== null)?.url}${path}`, { headers: { 'x-service-key': ADMIN_KEY } })

const noBugsInLogs = ({ roles }: Audited): Verdict => {
  const bugs = roles.flatMap(({ name, logFile }) =>
    readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => isBug(line))
      .map((line) => `${name}: ${line.slice(0, 300)}`),
  )
  return verdict(
    'no role logs an error',
    bugs.length === 0 ? [] : [`${bugs.length} lines`, ...bugs.slice(0, 3)],
    'no line above warning level',
  )
}

/** Lines that are not JSON are startup and shutdown messages, unless they are a stack trace. */
const isBug = (line: string): boolean => {
  try {
    return (JSON.parse(line) as { level: number }).level >= BUG_LEVEL
  } catch {
    return /^\s+at |^error:/i.test(line)
  }
}
