import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampleParcels } from '../../../dev/sample-county/county'
import type { RoleProcess } from './role-process'
import { SAMPLE, type Servers, sourceOf } from './servers'
import type { Witness } from './witness'

export const ADMIN_KEY = 'soak-admin-key-0123456789'
/** A caller who waits longer than this was left hanging. Only scrape-now may take a minute. */
const HANGS_AFTER_MS = 20_000
const SCRAPE_NOW_HANGS_AFTER_MS = 70_000
const INGEST_EVERY_MS = 10_000
const INGEST_ROWS = 300
/** Jobs of one call run in source order: many jobs would keep one portal busy and leave the others idle. */
const SET_SIZE = 50

interface Parcel {
  source: string
  id: string
  ownerName: string
  situsAddress: string | null
  bbox: readonly [number, number, number, number]
}

export interface Load {
  /** The ids of all jobs that responses reported as queued. */
  jobIds: ReadonlySet<string>
  /** Queues jobs for parcels beyond the seeded ones, which no client queues. */
  queueMany: (jobs: number) => Promise<void>
  stop: () => Promise<void>
}

/** Clients of every kind, each with at most one request at a time, over loopback; they report to the witness. */
export const startLoad = (
  { dir, databaseUrl }: Pick<Servers, 'dir' | 'databaseUrl'>,
  apis: readonly RoleProcess[],
  witness: Witness,
): Load => {
  const parcels: Parcel[] = []
  for (const { sourceParcelId, ownerName, situsAddress, bbox } of sampleParcels(SAMPLE)) {
    parcels.push({
      source: sourceOf(parcels.length),
      id: sourceParcelId,
      ownerName: ownerName ?? '',
      situsAddress: situsAddress ?? null,
      bbox: bbox as Parcel['bbox'],
    })
  }
  const jobIds = new Set<string>()
  const recentJobs: string[] = []
  let stopped = false
  let manyQueued = 0

  const draw = (below: number): number => Math.floor(Math.random() * below)
  const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)] as Item
  const keyOf = ({ source, id }: Parcel): string => `${source}/${id}`
  const orderOf = ({ source, id }: Pick<Parcel, 'source' | 'id'>) => ({ source, source_parcel_id: id })

  /** Sends one request to an API process that is running, as a load balancer would. Null: no response. */
  const call = async (
    kind: string,
    path: string,
    { method = 'GET', body, allowed = [200] }: { method?: string; body?: unknown; allowed?: number[] } = {},
  ): Promise<unknown> => {
    const there = apis.filter((one) => !one.wasAwaySince(performance.now()))
    if (there.length === 0) return null
    const api = pick(there)
    const startedAt = performance.now()
    const timeoutMs = kind === 'scrape-now' ? SCRAPE_NOW_HANGS_AFTER_MS : HANGS_AFTER_MS
    try {
      const response = await fetch(`${api.url}${path}`, {
        method,
        headers: { 'x-service-key': ADMIN_KEY, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      witness.answered(kind, response.status, performance.now() - startedAt)
      return judge(kind, response.status, text, allowed)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError') {
        witness.violate(`${kind}: no response in ${timeoutMs / 1_000} s`, describeFaults())
      } else if (api.wasAwaySince(startedAt)) witness.refused(kind)
      else witness.violate(`${kind}: the connection broke`, `${error} ${describeFaults()}`)
      return null
    }
  }

  const judge = (kind: string, status: number, text: string, allowed: readonly number[]): unknown => {
    const body = parseJson(text) as { error?: unknown } | undefined
    if (body === undefined) {
      witness.violate(`${kind}: ${status} without JSON`, text.slice(0, 200))
      return null
    }
    if (allowed.includes(status)) return body
    const isScrapeFailure = status === 502 && kind === 'scrape-now'
    const isUnavailable = status === 503 && witness.currentFaults().length > 0
    if ((isScrapeFailure || isUnavailable) && typeof body.error === 'string') return null
    witness.violate(`${kind}: ${status} ${describeFaults()}`, text.slice(0, 200))
    return null
  }

  const describeFaults = (): string => {
    const names = witness.currentFaults().map(({ name }) => name)
    return names.length === 0 ? 'while nothing was broken' : `around: ${names.join(', ')}`
  }

  const enqueue = async (orders: { source: string; source_parcel_id: string }[]): Promise<boolean> => {
    const answer = await call('enqueue', '/v1/scrape-jobs', { method: 'POST', body: orders })
    if (answer === null) return false
    for (const { id } of (answer as { jobs: { id: string }[] }).jobs) {
      jobIds.add(id)
      recentJobs.push(id)
    }
    recentJobs.splice(0, recentJobs.length - 100)
    return true
  }

  const search = () => {
    const { ownerName, situsAddress, bbox } = pick(parcels)
    const text = situsAddress !== null && draw(2) === 0 ? situsAddress : ownerName
    const typed = text.slice(0, Math.max(3, draw(text.length + 1))).trim()
    const near = draw(4) === 0 ? `&lat=${bbox[1]}&lon=${bbox[0]}` : ''
    const group = draw(8) === 0 ? '&group=owner' : ''
    return call('search', `/v1/search?q=${encodeURIComponent(typed)}&limit=10${near}${group}`)
  }
  const box = () => {
    const [west, south, east, north] = pick(parcels).bbox
    return call('box', `/v1/parcels?bbox=${[west - 0.005, south - 0.005, east + 0.005, north + 0.005]}&limit=200`)
  }
  const browse = async () => {
    await call('findings', `/v1/findings/${keyOf(pick(parcels))}`)
    await call('jobs', '/v1/scrape-jobs?limit=50')
    await call('source-health', '/v1/admin/sources/health?limit=100')
    await call('manifest', '/tiles/manifest.json', { allowed: [200, 404] })
    const id = recentJobs.at(draw(recentJobs.length))
    if (id !== undefined) await call('job', `/v1/scrape-jobs/${id}`)
  }
  const enqueueSome = () => enqueue(Array.from({ length: 1 + draw(20) }, () => orderOf(pick(parcels))))
  const scrapeNow = () =>
    call('scrape-now', `/v1/parcels/${keyOf(pick(parcels))}/scrape-now`, { method: 'POST', body: {} })
  const cancel = async () => {
    const id = recentJobs.at(draw(recentJobs.length))
    if (id !== undefined) await call('cancel', `/v1/scrape-jobs/${id}`, { method: 'DELETE', allowed: [200, 404] })
  }

  /** A file of changed values, loaded with the operators' command; a failed load is repeated. */
  const ingest = async () => {
    const file = join(dir, 'batch.csv')
    const { source } = pick(parcels)
    const ofSource = parcels.filter((parcel) => parcel.source === source)
    const chosen = new Map(
      Array.from({ length: INGEST_ROWS }, () => pick(ofSource)).map((parcel) => [parcel.id, parcel]),
    )
    const rows = [...chosen.values()].map(({ id, ownerName }) => `${id},"${ownerName}",${draw(900_000)}`)
    writeFileSync(file, ['source_parcel_id,owner_name,assessed_value', ...rows].join('\n'))
    while (!stopped) {
      const startedAt = performance.now()
      const command = [
        'bun',
        'src/cli/ingest.ts',
        'parcels',
        '--source',
        source,
        '--rejects',
        `${file}.rejects.csv`,
        file,
      ]
      const child = Bun.spawn(command, {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...(process.env as Record<string, string>), DATABASE_URL: databaseUrl, MEILI_URL: 'http://127.0.0.1:9' },
      })
      const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
      witness.answered('ingest', code === 0 ? 200 : 503, performance.now() - startedAt)
      if (code === 0) return
      if (witness.currentFaults().length === 0)
        witness.violate('ingest failed while nothing was broken', said.slice(-300))
      await Bun.sleep(1_000)
    }
  }

  const client = async (act: () => Promise<unknown>, pauseMs: number): Promise<void> => {
    while (!stopped) {
      await act().catch((error) => witness.violate('a client failed', String(error)))
      await Bun.sleep(pauseMs * (0.5 + Math.random()))
    }
  }
  const clients = [
    ...[0, 1, 2].map(() => client(search, 40)),
    ...[0, 1, 2].map(() => client(() => call('parcel', `/v1/parcels/${keyOf(pick(parcels))}`), 20)),
    client(box, 50),
    client(browse, 50),
    client(enqueueSome, 400),
    client(scrapeNow, 500),
    client(cancel, 2_000),
    client(ingest, INGEST_EVERY_MS),
  ]

  return {
    jobIds,
    async queueMany(jobs) {
      const wanted: { source: string; source_parcel_id: string }[] = []
      let index = 0
      for (const { sourceParcelId } of sampleParcels({ parcels: SAMPLE.parcels + manyQueued + jobs })) {
        if (index >= SAMPLE.parcels + manyQueued) wanted.push(orderOf({ source: sourceOf(index), id: sourceParcelId }))
        index++
      }
      manyQueued += jobs
      while (wanted.length > 0 && !stopped) {
        const set = wanted.splice(0, SET_SIZE)
        while (!(await enqueue(set)) && !stopped) await Bun.sleep(500)
      }
    },
    async stop() {
      stopped = true
      await Promise.all(clients)
    },
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
