import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../../core/text/count-noun'
import { useEvents } from '../../../api/events'
import { repeatEvery } from '../../../api/queries'
import { sourceKey } from '../../../api/sources'
import { formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Progress } from '../../../ui/progress'
import { useThrottled } from '../use-throttled'
import { Wait } from '../wait'
import { type Crawl, cancelCrawl, listCrawls, startCrawl } from './crawl-api'
import { CrawlTable } from './crawl-table'

const SHOWN = 20
const REFRESH_EVERY_MS = 400

const takenOf = ({ inserted, updated, unchanged, rejected }: Crawl): number => inserted + updated + unchanged + rejected

/** A source's crawls: the running one with its progress, and earlier ones. */
export const Crawls = ({ source }: { source: string }) => {
  const queries = useQueryClient()
  const queryKey = ['crawls', source]
  const crawls = useQuery({
    queryKey,
    queryFn: ({ signal }) => listCrawls(source, SHOWN, signal),
    refetchInterval: repeatEvery(30_000),
  })
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey }),
      // The time of its last complete refresh.
      queries.invalidateQueries({ queryKey: sourceKey(source) }),
    ])
  }
  const refreshSoon = useThrottled(() => void refresh(), REFRESH_EVERY_MS)
  useEvents(['crawl'], ({ event, data }) => {
    if (event === 'reset' || (data as { source: string }).source === source) refreshSoon()
  })
  const start = useMutation({ mutationFn: () => startCrawl(source), onSuccess: refresh })
  const cancel = useMutation({
    mutationFn: (id: string) => cancelCrawl(source, id),
    onSuccess: refresh,
    onSettled: () => setCancelled(null),
  })
  const [cancelled, setCancelled] = useState<string | null>(null)
  const live = crawls.data?.crawls.find(({ status }) => status === 'queued' || status === 'running')
  return (
    <section className="card">
      <div className="card-head">
        <h2>Crawls</h2>
        {live === undefined ? (
          <Button kind="primary" isBusy={start.isPending || crawls.isPending} onClick={() => start.mutate()}>
            Crawl now
          </Button>
        ) : (
          <Button kind="danger" onClick={() => setCancelled(live.id)}>
            Cancel
          </Button>
        )}
      </div>
      <Trouble error={start.error ?? cancel.error} />
      {live && (
        <div aria-live="polite">
          <LiveCrawl crawl={live} />
        </div>
      )}
      <Loaded query={crawls} what="the crawls">
        {({ crawls }) => <CrawlTable source={source} crawls={crawls} />}
      </Loaded>
      {cancelled !== null && (
        <Confirm
          title="Cancel this crawl?"
          action="Cancel it"
          isBusy={cancel.isPending}
          error={null}
          onConfirm={() => cancel.mutate(cancelled)}
          onClose={() => setCancelled(null)}
        >
          <p>
            Pages that are not visible yet are discarded. What is visible stays. The next crawl starts at the first
            page.
          </p>
        </Confirm>
      )}
    </section>
  )
}

const LiveCrawl = ({ crawl }: { crawl: Crawl }) => {
  const { status, total, waits_for } = crawl
  const taken = takenOf(crawl)
  const ofTotal = total === null ? countNoun(taken, 'record') : `${formatCount(taken)} of ${countNoun(total, 'record')}`
  return (
    <>
      {waits_for !== null && (
        <Notice tone="warn">
          <Wait work={crawl} />
        </Notice>
      )}
      <Progress
        label={
          status === 'running'
            ? ofTotal
            : taken > 0
              ? `${ofTotal}, waiting`
              : waits_for === null
                ? 'Waiting for a worker'
                : 'Waiting'
        }
        share={total === null || total === 0 ? null : Math.min(1, taken / total)}
      />
    </>
  )
}
