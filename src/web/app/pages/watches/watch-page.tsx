import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { usePathParams } from '../../address'
import { useEvents } from '../../api/events'
import { Loaded } from '../../ui/loaded'
import { Page } from '../../ui/page/page'
import { useThrottled } from '../console/use-throttled'
import { Deliveries } from './deliveries'
import { describeTarget, getWatch, POLL_MS } from './watch-api'
import { WatchSettings } from './watch-settings'

const REFRESH_MS = 1_000

/** One watch: its settings, and the changes that it matched. */
export const WatchPage = () => {
  const { id } = usePathParams('/app/watches/:id')
  const queries = useQueryClient()
  const watch = useQuery({
    queryKey: ['watches', id],
    queryFn: ({ signal }) => getWatch(id, signal),
    refetchInterval: POLL_MS,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['watches', id] })
  useEvents(['watch'], useThrottled(refresh, REFRESH_MS))
  return (
    <Page
      title={watch.data ? `Watch: ${describeTarget(watch.data)}` : 'Watch'}
      lead={<Link href="/app/watches">All watches</Link>}
    >
      <Loaded query={watch} what="the watch">
        {(data) => (
          <>
            <WatchSettings watch={data} refresh={refresh} />
            <Deliveries watch={data} refresh={refresh} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
