import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callPending } from '../account-api'
import { useEvents } from '../events'
import { formatCount, formatDuration } from '../format'
import { Button } from '../ui/button'
import { Confirm } from '../ui/confirm'
import { Loaded, Trouble } from '../ui/loaded'
import { Notice } from '../ui/notice'
import { Progress } from '../ui/progress'
import { Time } from '../ui/time'
import { ConsolePage } from './console-page'
import { Figure } from './health-page'

interface SearchIndex {
  documents: number | { parcels: number; entities: number } | null
  outbox_depth: number
  outbox_age_seconds: number | null
  drift: { checked_at: string; missing: number; extra: number; different: number } | null
  rebuild: { running: boolean; done: number | null; total: number | null } | null
}

const LAG_WARNS_S = 30

/** How far the search index is behind the database, whether the two agree, and its rebuilding. */
export const SearchIndexPage = () => {
  const queries = useQueryClient()
  const queryKey = ['search-index']
  const index = useQuery({
    queryKey,
    queryFn: ({ signal }) => callPending<SearchIndex>('GET', '/v1/admin/search-index', undefined, signal),
    refetchInterval: 5_000,
  })
  const refresh = () => queries.invalidateQueries({ queryKey })
  useEvents(['reindex'], ({ event, data }) => {
    if (event !== 'reindex') return void refresh()
    const told = data as { state?: string; running?: boolean; done?: number; total?: number }
    const isRunning = told.running ?? (told.state === 'running' || told.state === 'building')
    queries.setQueryData<SearchIndex>(
      queryKey,
      (known) =>
        known && { ...known, rebuild: { running: isRunning, done: told.done ?? null, total: told.total ?? null } },
    )
    if (!isRunning) void refresh()
  })
  const check = useMutation({
    mutationFn: () => callPending('POST', '/v1/admin/search-index/check', {}),
    onSuccess: refresh,
  })
  const rebuild = useMutation({
    mutationFn: () => callPending('POST', '/v1/admin/search-index/rebuild', {}),
    onSuccess: () => {
      setAsking(false)
      void refresh()
    },
  })
  const [isAsking, setAsking] = useState(false)
  const isRunning = index.data?.rebuild?.running ?? false
  return (
    <ConsolePage
      title="Search index"
      lead="How far it is behind the database, and whether the two agree."
      actions={
        <>
          <Button isBusy={check.isPending} onClick={() => check.mutate()}>
            Check for drift
          </Button>
          <Button kind="primary" isBusy={isRunning} onClick={() => setAsking(true)}>
            {isRunning ? 'Rebuilding' : 'Rebuild'}
          </Button>
        </>
      }
    >
      <Trouble error={check.error} />
      {check.isSuccess && <Notice>The check is under way. What it finds shows below.</Notice>}
      <Loaded query={index} what="the search index">
        {({ documents, outbox_depth, outbox_age_seconds, drift, rebuild }) => {
          const lag = outbox_age_seconds ?? 0
          const wrong = drift === null ? 0 : drift.missing + drift.extra + drift.different
          return (
            <>
              {rebuild?.running && (
                <section className="card" aria-live="polite">
                  <Progress label="Rebuilding the index" done={rebuild.done} total={rebuild.total} />
                </section>
              )}
              <dl className="figures">
                <Figure label="Documents" value={sayDocuments(documents)} />
                <Figure label="Changes waiting" value={formatCount(outbox_depth)} />
                <Figure
                  label="The oldest waits for"
                  value={outbox_depth === 0 ? 'none waits' : formatDuration(Math.round(lag * 1_000))}
                  tone={lag > LAG_WARNS_S ? 'warn' : ''}
                />
              </dl>
              <section className="card">
                <div className="card-head">
                  <h2>Drift</h2>
                  {drift && (
                    <span className="quiet small">
                      checked <Time at={drift.checked_at} />
                    </span>
                  )}
                </div>
                {drift === null ? (
                  <p className="empty">It has not been checked yet.</p>
                ) : (
                  <>
                    <Notice tone={wrong === 0 ? 'good' : 'bad'}>
                      {wrong === 0 ? 'The index and the database agree.' : 'They differed; what did was mended.'}
                    </Notice>
                    <dl className="figures">
                      <Figure
                        label="Missing"
                        value={formatCount(drift.missing)}
                        tone={drift.missing > 0 ? 'bad' : ''}
                      />
                      <Figure label="Too many" value={formatCount(drift.extra)} tone={drift.extra > 0 ? 'bad' : ''} />
                      <Figure
                        label="Different"
                        value={formatCount(drift.different)}
                        tone={drift.different > 0 ? 'bad' : ''}
                      />
                    </dl>
                  </>
                )}
              </section>
            </>
          )
        }}
      </Loaded>
      {isAsking && (
        <Confirm
          title="Rebuild the search index?"
          action="Rebuild"
          isBusy={rebuild.isPending}
          error={rebuild.error}
          onConfirm={() => rebuild.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Searches are answered by the index as it is until the new one is ready. It takes the machine’s time, though.
          </p>
        </Confirm>
      )}
    </ConsolePage>
  )
}

const sayDocuments = (documents: SearchIndex['documents']): string => {
  if (documents === null) return '–'
  if (typeof documents === 'number') return formatCount(documents)
  return formatCount(documents.parcels + documents.entities)
}
