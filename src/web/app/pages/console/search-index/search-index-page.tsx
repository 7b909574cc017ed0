import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../../core/text/count-noun'
import { useEvents } from '../../../api/events'
import { formatCount, formatDuration } from '../../../format'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { Figure } from '../../../ui/figure'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Progress } from '../../../ui/progress'
import { Time } from '../../../ui/time'
import { ConsolePage } from '../console-page'
import { useThrottled } from '../use-throttled'
import {
  checkSearchIndex,
  getSearchIndex,
  type Rebuild,
  rebuildSearchIndex,
  type SearchIndex,
} from './search-index-api'
import { isRunning, SearchInstances } from './search-instances'

const REFRESH_EVERY_MS = 400
const LAG_WARNS_S = 30

/** How far the search index is behind the database, whether the two agree, and its last rebuild. */
export const SearchIndexPage = () => {
  const queries = useQueryClient()
  const queryKey = ['search-index']
  const index = useQuery({
    queryKey,
    queryFn: ({ signal }) => getSearchIndex(signal),
    refetchInterval: 5_000,
  })
  const refresh = () => queries.invalidateQueries({ queryKey })
  useEvents(['reindex'], useThrottled(refresh, REFRESH_EVERY_MS))
  const check = useMutation({
    mutationFn: checkSearchIndex,
    onSuccess: refresh,
  })
  const rebuild = useMutation({
    mutationFn: rebuildSearchIndex,
    onSuccess: () => {
      setAsked(null)
      void refresh()
    },
  })
  /** What the dialog asks to rebuild. */
  const [asked, setAsked] = useState<{ instance: string | null } | null>(null)
  const isRebuilding = isRunning(index.data?.rebuild)
  const isChecking = isRunning(index.data?.check)
  return (
    <ConsolePage
      title="Search index"
      lead="How far it is behind the database, and whether the two agree."
      actions={
        <>
          <Button isBusy={check.isPending || isChecking} onClick={() => check.mutate()}>
            {isChecking ? 'Checking' : 'Check for drift'}
          </Button>
          <Button kind="primary" isBusy={isRebuilding} onClick={() => setAsked({ instance: null })}>
            {isRebuilding ? 'Rebuilding' : 'Rebuild'}
          </Button>
        </>
      }
    >
      <Trouble error={check.error} />
      <Loaded query={index} what="the search index">
        {({ documents, outbox_depth, outbox_age_seconds, drift, rebuild, instances }) => {
          const lag = outbox_age_seconds
          const silent = instances.filter(({ documents }) => documents === null).map(({ instance }) => instance)
          const isSilent = silent.length > 0
          return (
            <>
              {isSilent && (
                <Notice tone="bad">
                  Meilisearch does not respond ({silent.join(', ')}). PostgreSQL answers its searches, and changes wait
                  until it is back.
                </Notice>
              )}
              {rebuild !== null && <RebuildCard rebuild={rebuild} />}
              <dl className="figures">
                <Figure label="Documents" tone={isSilent ? 'bad' : 'plain'}>
                  {documents !== null ? formatCount(documents) : isSilent ? 'no response' : 'not known'}
                </Figure>
                <Figure label="Changes waiting">{formatCount(outbox_depth)}</Figure>
                <Figure label="Age of the oldest change" tone={lag > LAG_WARNS_S ? 'warn' : 'plain'}>
                  {outbox_depth === 0 ? 'none' : formatDuration(Math.round(lag * 1_000))}
                </Figure>
              </dl>
              {instances.length > 1 && (
                <SearchInstances instances={instances} onRebuild={(instance) => setAsked({ instance })} />
              )}
              <Drift drift={drift} isSilent={isSilent} />
            </>
          )
        }}
      </Loaded>
      {asked !== null && (
        <Confirm
          title={asked.instance === null ? 'Rebuild the search index?' : `Rebuild the index of ${asked.instance}?`}
          action="Rebuild"
          isBusy={rebuild.isPending}
          error={rebuild.error}
          onConfirm={() => rebuild.mutate(asked.instance)}
          onClose={() => setAsked(null)}
        >
          <p>Searches use the current index until the new one is ready. The rebuild puts load on the machine.</p>
        </Confirm>
      )}
    </ConsolePage>
  )
}

const RebuildCard = ({ rebuild }: { rebuild: Rebuild }) => (
  <section className="card" aria-live="polite">
    {isRunning(rebuild) ? (
      <Progress
        label={
          rebuild.state === 'requested'
            ? 'Waiting for the sync role'
            : `Rebuilding the index: ${formatCount(rebuild.done)} of ${countNoun(rebuild.total, 'document')}`
        }
        share={rebuild.total === 0 ? null : rebuild.done / rebuild.total}
      />
    ) : (
      <LastRebuild rebuild={rebuild} />
    )}
  </section>
)

/** Whether the index and the database agreed at the last check. `isSilent`: an instance does not respond, so that was before. */
const Drift = ({ drift, isSilent }: { drift: SearchIndex['drift']; isSilent: boolean }) => {
  const wrong = drift === null ? 0 : drift.missing + drift.extra + drift.different
  return (
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
          {isSilent ? (
            <Notice>
              The last check was <Time at={drift.checked_at} />:{' '}
              {wrong === 0 ? 'the index and the database agreed.' : 'they differed, and the differences were repaired.'}{' '}
              Whether they agree now is not known.
            </Notice>
          ) : (
            <Notice tone={wrong === 0 ? 'good' : 'bad'}>
              {wrong === 0 ? 'The index and the database agree.' : 'They differed. The differences were repaired.'}
            </Notice>
          )}
          <dl className="figures">
            <Figure label="Missing" tone={drift.missing > 0 ? 'bad' : 'plain'}>
              {formatCount(drift.missing)}
            </Figure>
            <Figure label="Not in the database" tone={drift.extra > 0 ? 'bad' : 'plain'}>
              {formatCount(drift.extra)}
            </Figure>
            <Figure label="Different" tone={drift.different > 0 ? 'bad' : 'plain'}>
              {formatCount(drift.different)}
            </Figure>
          </dl>
        </>
      )}
    </section>
  )
}

const LastRebuild = ({ rebuild }: { rebuild: Rebuild }) =>
  rebuild.state === 'failed' ? (
    <Notice tone="bad">The last rebuild failed: {rebuild.error}</Notice>
  ) : (
    <p>
      Last rebuilt <Time at={rebuild.finished_at} />
      {rebuild.requested_by && ` for ${rebuild.requested_by}`}: {countNoun(rebuild.done, 'document')}.
    </p>
  )
