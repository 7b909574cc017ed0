import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAddressChoice, useAddressText } from '../../address'
import { api, ask, at } from '../../api/api'
import { useEvents } from '../../api/events'
import { PAGED, repeatEvery } from '../../api/queries'
import { DASH, formatBytes, formatCount, formatDuration, formatWords } from '../../format'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { SearchField } from '../../ui/form/search-field'
import { Select } from '../../ui/form/select'
import { Loaded } from '../../ui/loaded'
import { Progress } from '../../ui/progress'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import { ConsolePage } from './console-page'
import { JOB_TONES } from './jobs/job-tones'
import { useThrottled } from './use-throttled'
import { Wait } from './wait'

const PAGE = 50
const REFRESH_MS = 400
const KINDS = [
  'crawl',
  'load',
  'ingest',
  'preview',
  'tile_build',
  'search_check',
  'search_rebuild',
  'webhooks',
  'export',
  'match',
]
const STATUSES = ['queued', 'running', 'done', 'error'] as const

interface WorkFilter {
  kind: string
  status: (typeof STATUSES)[number] | ''
  source: string
}

const listWork = ({ kind, status, source }: WorkFilter, after: string | null, signal: AbortSignal) =>
  ask(
    api.v1.work.get({
      query: {
        limit: PAGE,
        ...(kind === '' ? {} : { kind }),
        ...(status === '' ? {} : { status }),
        ...(source === '' ? {} : { source }),
        ...(after === null ? {} : { after }),
      },
      fetch: { signal },
    }),
  )
type Work = Awaited<ReturnType<typeof listWork>>['work'][number]

/** Crawls, tile builds and all other long-running work, newest first. */
export const WorkPage = () => {
  const [kind, setKind] = useAddressChoice('kind', ['', ...KINDS])
  const [status, setStatus] = useAddressChoice('status', ['', ...STATUSES])
  const source = useAddressText('source').trim()
  const filter: WorkFilter = { kind, status, source }
  const queries = useQueryClient()
  const work = useInfiniteQuery({
    queryKey: ['work', filter],
    queryFn: ({ signal, pageParam }) => listWork(filter, pageParam, signal),
    ...PAGED,
    refetchInterval: repeatEvery(30_000),
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['work'] })
  useEvents(['work'], useThrottled(refresh, REFRESH_MS))
  const [cancelled, setCancelled] = useState<Work | null>(null)
  const cancel = useMutation({
    mutationFn: ({ id }: Work) => ask(api.v1.work({ id: at(id) }).delete()),
    onSuccess: async () => {
      setCancelled(null)
      await refresh()
    },
  })
  const rows = work.data?.pages.flatMap((page) => page.work) ?? []
  const kinds = [...new Set([...KINDS, ...rows.map(({ kind }) => kind)])]
  return (
    <ConsolePage title="Work" lead="Crawls, tile builds and all other long work, newest first.">
      <div className="filters">
        <Select
          label="Kind"
          value={kind}
          onChange={setKind}
          options={[['', 'All'], ...kinds.map((kind) => [kind, formatWords(kind)] as const)]}
        />
        <Select
          label="Status"
          value={status}
          onChange={setStatus}
          options={[['', 'All'], ...STATUSES.map((status) => [status, status] as const)]}
        />
        <SearchField label="Source" placeholder="Slug" name="source" />
      </div>
      <Loaded query={work} what="the work">
        {() => (
          <>
            <DataTable
              label="Work"
              rows={rows}
              keyOf={({ id }) => id}
              toneOf={({ status }) => (status === 'error' ? 'bad' : null)}
              empty="No work matches this filter."
              columns={[
                {
                  name: 'Work',
                  isHead: true,
                  cell: ({ kind, subject, source }) => (
                    <>
                      {formatWords(kind)}
                      <span className="cell-note">
                        {source === null ? subject : <Link href={`/app/console/sources/${at(source)}`}>{source}</Link>}
                      </span>
                    </>
                  ),
                },
                {
                  name: 'Status',
                  cell: (one) => (
                    <>
                      <Badge tone={JOB_TONES[one.status]}>{one.status}</Badge>
                      {one.waits_for !== null && (
                        <span className="cell-note">
                          <Wait work={{ ...one, error_message: null }} />
                        </span>
                      )}
                    </>
                  ),
                },
                { name: 'Progress', cell: (one) => <WorkProgress work={one} /> },
                {
                  name: 'Requested by',
                  cell: ({ requested_by }) => requested_by ?? <span className="quiet">schedule or command</span>,
                },
                { name: 'Requested', cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  name: 'Took',
                  isNumber: true,
                  cell: ({ started_at, finished_at }) =>
                    formatDuration(
                      started_at === null || finished_at === null
                        ? null
                        : Date.parse(finished_at) - Date.parse(started_at),
                    ),
                },
                {
                  name: 'Error',
                  cell: ({ error_message }) => <span className="cell-message">{error_message ?? ''}</span>,
                },
                {
                  name: 'Actions',
                  cell: (one) => isLive(one) && <Button onClick={() => setCancelled(one)}>Cancel</Button>,
                },
              ]}
            />
            <OlderRows count={rows.length} list={work} />
          </>
        )}
      </Loaded>
      {cancelled !== null && (
        <Confirm
          title={`Cancel this ${formatWords(cancelled.kind)}?`}
          action="Cancel it"
          isBusy={cancel.isPending}
          error={cancel.error}
          onConfirm={() => cancel.mutate(cancelled)}
          onClose={() => setCancelled(null)}
        >
          <p>Results that are already stored stay.</p>
        </Confirm>
      )}
    </ConsolePage>
  )
}

const isLive = ({ status }: Work): boolean => status === 'queued' || status === 'running'

/** Kinds of work whose progress is in bytes of a file. */
const OF_FILES = ['ingest', 'preview']

const WorkProgress = ({ work }: { work: Work }) => {
  const { kind, status, done, total } = work
  const format = OF_FILES.includes(kind) ? formatBytes : formatCount
  const label = total === null ? format(done) : `${format(done)} of ${format(total)}`
  if (status === 'running') return <Progress label={label} share={total ? Math.min(1, done / total) : null} />
  // A preview is complete before it has read all of a file.
  return <>{done === 0 || (status === 'done' && kind === 'preview') ? DASH : label}</>
}
