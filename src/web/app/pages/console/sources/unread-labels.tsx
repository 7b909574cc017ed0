import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, ask, at } from '../../../api/api'
import { useEvents } from '../../../api/events'
import { formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'

const labelsOf = (source: string) => api.v1.sources({ source: at(source) })['unread-labels']
const listLabels = (source: string, signal: AbortSignal) => ask(labelsOf(source).get({ fetch: { signal } }))
type Labels = Awaited<ReturnType<typeof listLabels>>

/** Labels and headings on the pages of a source that no field was read from. */
export const UnreadLabels = ({ source }: { source: string }) => {
  const queries = useQueryClient()
  const queryKey = ['sources', source, 'unread-labels']
  const labels = useQuery({ queryKey, queryFn: ({ signal }) => listLabels(source, signal) })
  const mark = useMutation({
    mutationFn: (change: { label: string; is_known: boolean }) => ask(labelsOf(source).patch(change)),
    onSuccess: (changed) => queries.setQueryData<Labels>(queryKey, changed),
  })
  useEvents(['source'], ({ data }) => {
    if ((data as { source?: string }).source === source) void queries.invalidateQueries({ queryKey })
  })
  return (
    <section className="card stack">
      <h2>Unread labels</h2>
      <Loaded query={labels} what="the unread labels">
        {({ scrapes, labels: rows }) => {
          const open = rows.filter(({ is_known }) => !is_known)
          const known = rows.filter(({ is_known }) => is_known)
          return (
            <>
              <DataTable
                label="Labels that no field was read from"
                rows={open}
                keyOf={({ label }) => label}
                empty={
                  scrapes === 0
                    ? 'No page has been read yet.'
                    : `Everything on the pages of the last ${formatCount(scrapes)} scrapes was read.`
                }
                columns={[
                  { name: 'Label', isHead: true, sortBy: ({ label }) => label, cell: ({ label }) => label },
                  {
                    name: `Of the last ${formatCount(scrapes)} scrapes`,
                    id: 'scrapes',
                    isNumber: true,
                    sortBy: (row) => row.scrapes,
                    cell: (row) => formatCount(row.scrapes),
                  },
                  {
                    name: 'First seen',
                    sortBy: ({ first_seen_at }) => first_seen_at,
                    cell: ({ first_seen_at }) => <Time at={first_seen_at} />,
                  },
                  {
                    name: 'Actions',
                    cell: ({ label }) => (
                      <Button
                        className="small"
                        aria-label={`Mark as known: ${label}`}
                        isBusy={mark.isPending && mark.variables.label === label}
                        onClick={() => mark.mutate({ label, is_known: true })}
                      >
                        Mark as known
                      </Button>
                    ),
                  },
                ]}
              />
              {known.length > 0 && (
                <details>
                  <summary>Known labels, with nothing to read: {formatCount(known.length)}</summary>
                  <ul>
                    {known.map(({ label }) => (
                      <li key={label}>
                        {label}{' '}
                        <Button
                          className="small"
                          kind="quiet"
                          aria-label={`Mark as unknown: ${label}`}
                          onClick={() => mark.mutate({ label, is_known: false })}
                        >
                          Mark as unknown
                        </Button>
                      </li>
                    ))}
                  </ul>
                </details>
              )}
              <Trouble error={mark.error} />
            </>
          )
        }}
      </Loaded>
    </section>
  )
}
