import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useEvents } from '../../api/events'
import { PAGED } from '../../api/queries'
import { ForReaders } from '../../session/for-readers'
import { useViewer } from '../../session/viewer'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Loaded } from '../../ui/loaded'
import { Page } from '../../ui/page/page'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { Time } from '../../ui/time'
import { useThrottled } from '../console/use-throttled'
import { AddWatch } from './add-watch'
import { describeFields, describeState, describeTarget, listWatches } from './watch-api'

const REFRESH_MS = 2_000

/** The viewer's watches, newest first. */
export const WatchesPage = () => {
  const { canRead } = useViewer()
  const [isAdding, setAdding] = useState(false)
  return (
    <Page
      title="Watches"
      lead="Get a message when parcels change."
      actions={
        canRead && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            New watch
          </Button>
        )
      }
    >
      <ForReaders purpose="see your watches">
        <Watches />
      </ForReaders>
      {isAdding && <AddWatch onClose={() => setAdding(false)} />}
    </Page>
  )
}

const Watches = () => {
  const queries = useQueryClient()
  const watches = useInfiniteQuery({
    queryKey: ['watches'],
    queryFn: ({ signal, pageParam }) => listWatches(pageParam, signal),
    ...PAGED,
  })
  const refresh = useThrottled(() => queries.invalidateQueries({ queryKey: ['watches'] }), REFRESH_MS)
  useEvents(['watch'], refresh)
  const rows = watches.data?.pages.flatMap((page) => page.watches) ?? []
  return (
    <Loaded query={watches} what="your watches">
      {() => (
        <>
          <DataTable
            label="Your watches"
            rows={rows}
            keyOf={({ id }) => id}
            toneOf={(watch) => (describeState(watch).tone === 'bad' ? 'bad' : null)}
            empty="You have no watches yet."
            columns={[
              {
                name: 'Follows',
                isHead: true,
                cell: (watch) => (
                  <>
                    <Link href={`/app/watches/${watch.id}`}>{describeTarget(watch)}</Link>
                    <span className="cell-note">{watch.kind}</span>
                  </>
                ),
              },
              { name: 'Fields', cell: ({ fields }) => <span className="cell-words">{describeFields(fields)}</span> },
              {
                name: 'Webhook',
                cell: ({ webhook_url }) =>
                  webhook_url === null ? (
                    <span className="quiet">none</span>
                  ) : (
                    <span className="cell-words">{webhook_url}</span>
                  ),
              },
              {
                name: 'Status',
                cell: (watch) => {
                  const { tone, text } = describeState(watch)
                  return <Badge tone={tone}>{text}</Badge>
                },
              },
              { name: 'Last delivered', cell: ({ last_delivered_at }) => <Time at={last_delivered_at} /> },
              { name: 'Added by', cell: ({ created_by }) => created_by },
            ]}
          />
          <OlderRows count={rows.length} list={watches} />
        </>
      )}
    </Loaded>
  )
}
