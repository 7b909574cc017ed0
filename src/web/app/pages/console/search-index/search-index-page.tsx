import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useEvents } from '../../../api/events'
import { formatCount, formatDuration } from '../../../format'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { Figure } from '../../../ui/figure'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { ConsolePage } from '../console-page'
import { useThrottled } from '../use-throttled'
import { Drift } from './drift'
import { RebuildCard } from './rebuild-card'
import { checkSearchIndex, getSearchIndex, rebuildSearchIndex, type SearchIndex } from './search-index-api'
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
        {(shown) => <IndexState index={shown} onRebuild={(instance) => setAsked({ instance })} />}
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

interface StateProps {
  index: SearchIndex
  onRebuild: (instance: string) => void
}

const IndexState = ({ index, onRebuild }: StateProps) => {
  const { documents, outbox_depth, outbox_age_seconds, drift, rebuild, instances } = index
  const silent = instances.filter(({ documents }) => documents === null).map(({ instance }) => instance)
  const isSilent = silent.length > 0
  return (
    <>
      {isSilent && (
        <Notice tone="bad">
          Meilisearch does not respond ({silent.join(', ')}). PostgreSQL answers its searches, and changes wait until it
          is back.
        </Notice>
      )}
      {rebuild !== null && <RebuildCard rebuild={rebuild} />}
      <dl className="figures">
        <Figure label="Documents" tone={isSilent ? 'bad' : 'plain'}>
          {documents !== null ? formatCount(documents) : isSilent ? 'no response' : 'not known'}
        </Figure>
        <Figure label="Changes waiting">{formatCount(outbox_depth)}</Figure>
        <Figure label="Age of the oldest change" tone={outbox_age_seconds > LAG_WARNS_S ? 'warn' : 'plain'}>
          {outbox_depth === 0 ? 'none' : formatDuration(Math.round(outbox_age_seconds * 1_000))}
        </Figure>
      </dl>
      {instances.length > 1 && <SearchInstances instances={instances} onRebuild={onRebuild} />}
      <Drift drift={drift} isSilent={isSilent} />
    </>
  )
}
