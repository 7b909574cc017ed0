import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FailureClassName, failureClass } from '../../../../../../core/sources/failure-classes'
import { api, ask, at } from '../../../api/api'
import { useEvents } from '../../../api/events'
import { repeatEvery } from '../../../api/queries'
import { RunStrip, titleOfClass } from '../../../charts/run-strip'
import { formatCount } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'

const REFETCH_MS = 15_000

const getRuns = (source: string, signal: AbortSignal) =>
  ask(api.v1.sources({ source: at(source) }).runs.get({ fetch: { signal } }))
type Runs = Awaited<ReturnType<typeof getRuns>>

export const PROBLEMS = { site_changed: 'site changed', fetch_failed: 'fetch failed' } as const

/** The last runs of a source, why they failed, and a retry for each class. */
export const SourceRuns = ({ source }: { source: string }) => {
  const queries = useQueryClient()
  const queryKey = ['sources', source, 'runs']
  const runs = useQuery({
    queryKey,
    queryFn: ({ signal }) => getRuns(source, signal),
    refetchInterval: repeatEvery(REFETCH_MS),
  })
  useEvents(['source', 'crawl'], ({ data }) => {
    if ((data as { source?: string }).source === source) void queries.invalidateQueries({ queryKey })
  })
  return (
    <section className="card stack">
      <h2>Last scrapes</h2>
      <Loaded query={runs} what="the last scrapes">
        {(data) =>
          data.runs_counted === 0 ? (
            <p className="empty">Nothing was scraped in the last 30 days.</p>
          ) : (
            <>
              <p>
                {data.problem !== null && (
                  <>
                    <Badge tone={data.problem === 'site_changed' ? 'bad' : 'warn'}>{PROBLEMS[data.problem]}</Badge>{' '}
                  </>
                )}
                Last good scrape: {data.last_success_at === null ? 'none yet' : <Time at={data.last_success_at} />}
              </p>
              <RunStrip runs={data.runs} label={describe(data)} />
              <Failures source={source} data={data} />
            </>
          )
        }
      </Loaded>
    </section>
  )
}

/** The strip in words. */
const describe = ({ runs_counted, failures }: Runs): string => {
  const failed = failures.map(({ failure_class, count }) => `${count} ${titleOfClass(failure_class).toLowerCase()}`)
  return `Last ${runs_counted} scrapes: ${failed.length === 0 ? 'none failed' : failed.join(', ')}`
}

const Failures = ({ source, data }: { source: string; data: Runs }) => {
  const queries = useQueryClient()
  const retry = useMutation({
    mutationFn: (name: string) =>
      ask(api.v1['scrape-jobs'].retry.post({ source, failure_class: name as FailureClassName })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sources', source, 'runs'] }),
  })
  const since = new Map(data.failures_since_success.map(({ failure_class, count }) => [failure_class, count]))
  const last = new Map(data.failures.map(({ failure_class, count }) => [failure_class, count]))
  const names = [...new Set([...last.keys(), ...since.keys()])]
  if (names.length === 0) return null
  return (
    <>
      <DataTable
        label="Failures by class"
        rows={names}
        keyOf={(name) => name}
        empty=""
        columns={[
          { name: 'Failure', isHead: true, cell: titleOfClass },
          { name: `Last ${data.runs_counted}`, isNumber: true, cell: (name) => formatCount(last.get(name) ?? 0) },
          { name: 'Since the last good one', isNumber: true, cell: (name) => formatCount(since.get(name) ?? 0) },
          {
            name: 'What to do',
            cell: (name) => <span className="cell-message">{failureClass(name)?.advice}</span>,
          },
          {
            name: 'Actions',
            cell: (name) =>
              failureClass(name) !== null && (
                <Button
                  className="small"
                  aria-label={`Retry: ${titleOfClass(name)}`}
                  isBusy={retry.isPending && retry.variables === name}
                  onClick={() => retry.mutate(name)}
                >
                  Retry
                </Button>
              ),
          },
        ]}
      />
      <Trouble error={retry.error} />
      {retry.data && (
        <Notice>
          {formatCount(retry.data.queued)} queued
          {retry.data.already_queued > 0 && `, ${formatCount(retry.data.already_queued)} already queued`}
          {retry.data.left > 0 && `, ${formatCount(retry.data.left)} left: retry again`}.
        </Notice>
      )}
    </>
  )
}
