import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { at } from '../../../api/api'
import { useEvents } from '../../../api/events'
import { repeatEvery } from '../../../api/queries'
import { formatCount } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { isOver, listFileWork, startLoad } from '../add-county/file-api'
import { FileProgress } from '../add-county/file-progress'
import { JOB_TONES } from '../jobs/job-tones'
import { loadPath } from '../loads/load-path'
import { useThrottled } from '../use-throttled'

const REFRESH_EVERY_MS = 400
const REFETCH_MS = 30_000

/** The files that were uploaded or fetched for a source: the one in progress, and earlier ones. `address`: its URL, empty if it has none. */
export const Files = ({ source, address }: { source: string; address: string }) => {
  const queries = useQueryClient()
  const queryKey = ['file-loads', source]
  const files = useQuery({
    queryKey,
    queryFn: ({ signal }) => listFileWork(source, signal),
    refetchInterval: repeatEvery(REFETCH_MS),
  })
  const refresh = () =>
    Promise.all([queries.invalidateQueries({ queryKey }), queries.invalidateQueries({ queryKey: ['sources', source] })])
  const refreshSoon = useThrottled(() => void refresh(), REFRESH_EVERY_MS)
  useEvents(['work'], ({ event, data }) => {
    if (event === 'reset' || (data as { source?: string | null }).source === source) refreshSoon()
  })
  const start = useMutation({ mutationFn: () => startLoad(source, null, null), onSuccess: refresh })
  const live = files.data?.find((work) => !isOver(work))
  return (
    <section className="card stack">
      <div className="card-head">
        <h2>Files</h2>
        <div className="row">
          {address !== '' && live === undefined && (
            <Button isBusy={start.isPending || files.isPending} onClick={() => start.mutate()}>
              Load the file from its URL now
            </Button>
          )}
          <Link className="button" href={`/app/console/add-county?source=${at(source)}`}>
            Load another file
          </Link>
        </div>
      </div>
      <Trouble error={start.error} />
      {live && <FileProgress work={live} />}
      <Loaded query={files} what="the files">
        {(rows) => (
          <DataTable
            label="Files"
            rows={rows}
            keyOf={({ id }) => id}
            toneOf={({ status, result }) => (status === 'error' ? 'bad' : result.status === 'held' ? 'warn' : null)}
            empty="No file was uploaded or fetched in the last 30 days."
            columns={[
              { name: 'Started', isHead: true, cell: ({ created_at }) => <Time at={created_at} /> },
              { name: 'Status', cell: ({ status }) => <Badge tone={JOB_TONES[status]}>{status}</Badge> },
              { name: 'By', cell: ({ requested_by }) => requested_by ?? <span className="quiet">the schedule</span> },
              { name: 'Rows', isNumber: true, cell: ({ result }) => formatCount(result.rows ?? 0) },
              { name: 'Rejected', isNumber: true, cell: ({ result }) => formatCount(result.rejected ?? 0) },
              {
                name: 'What happened',
                cell: ({ result, error_message }) => (
                  <span className="cell-message">
                    {error_message ??
                      (result.status === 'unchanged' ? 'the file has not changed' : (result.status ?? ''))}{' '}
                    {result.load_id !== undefined && <Link href={loadPath(source, result.load_id)}>its load</Link>}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </section>
  )
}
