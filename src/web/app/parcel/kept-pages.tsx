import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, at } from '../api/api'
import { formatWords } from '../format'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { DataTable } from '../ui/data-table'
import { Dialog } from '../ui/dialog'
import { Loaded } from '../ui/loaded'
import { Time } from '../ui/time'
import { PageSource } from './page-source'
import { type Parcel, parcelKey } from './parcel-api'

/** For admins: the pages of the portal that are kept, as source text. A page is never rendered. */
export const KeptPages = ({ parcel }: { parcel: Parcel }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Kept pages</Button>
      {isOpen && (
        <Dialog title="Kept pages of the portal" onClose={() => setOpen(false)}>
          <PageList parcel={parcel} />
        </Dialog>
      )}
    </>
  )
}

const pagesOf = ({ source, source_parcel_id }: Parcel) =>
  api.v1.parcels({ source: at(source) })({ id: at(source_parcel_id) }).pages

const PageList = ({ parcel }: { parcel: Parcel }) => {
  const [shown, setShown] = useState<string | null>(null)
  const pages = useQuery({
    queryKey: [...parcelKey(parcel), 'pages'],
    queryFn: ({ signal }) => ask(pagesOf(parcel).get({ fetch: { signal } })),
  })
  return (
    <Loaded query={pages} what="the kept pages">
      {({ pages: rows }) => (
        <div className="stack">
          <DataTable
            label="Kept pages"
            rows={rows}
            keyOf={({ hash }) => hash}
            empty="No page of this parcel is kept."
            columns={[
              { name: 'Fetched', isHead: true, cell: ({ fetched_at }) => <Time at={fetched_at} /> },
              {
                name: 'Result',
                cell: ({ outcome, message }) => (
                  <>
                    <Badge tone={outcome === 'done' ? 'good' : 'bad'}>
                      {outcome === 'done' ? 'read' : formatWords(outcome)}
                    </Badge>
                    {message !== null && <span className="cell-note">{message}</span>}
                  </>
                ),
              },
              { name: 'Adapter', cell: ({ adapter, version }) => `${adapter} ${version}` },
              {
                name: 'Source text',
                cell: ({ hash, fetched_at }) => (
                  <Button
                    className="small"
                    aria-label={`Show the page of ${fetched_at}`}
                    aria-pressed={hash === shown}
                    onClick={() => setShown(hash)}
                  >
                    Show
                  </Button>
                ),
              },
            ]}
          />
          {shown !== null && <KeptPage parcel={parcel} hash={shown} />}
        </div>
      )}
    </Loaded>
  )
}

const KeptPage = ({ parcel, hash }: { parcel: Parcel; hash: string }) => {
  const page = useQuery({
    queryKey: [...parcelKey(parcel), 'pages', hash],
    // Plain text, which has no type in the routes.
    queryFn: async ({ signal }) => String((await ask(pagesOf(parcel)({ hash }).get({ fetch: { signal } }))) as unknown),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const values = [parcel, parcel.scrape_data].flatMap((record) => Object.values(record) as unknown[])
  return <PageSource page={page} values={values} />
}
