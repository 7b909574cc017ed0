import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, at } from '../../../api/api'
import { formatWords } from '../../../format'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Loaded } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import type { ParcelName } from '../../map/map-parcel'
import { type Parcel, parcelKey } from '../parcel-api'
import { PageSource } from './page-source'

/** What the service knows of a parcel, to mark it on a page. Undefined: it may not be stored at all, because its scrapes failed. */
type KnownRecord = Parcel | undefined

/** For admins: the pages of the portal that are kept, as source text. A page is never rendered. */
export const KeptPages = ({ name, record }: { name: ParcelName; record?: KnownRecord }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Kept pages</Button>
      {isOpen && (
        <Dialog title="Kept pages of the portal" onClose={() => setOpen(false)}>
          <PageList name={name} record={record} />
        </Dialog>
      )}
    </>
  )
}

const pagesOf = ({ source, source_parcel_id }: ParcelName) =>
  api.v1.parcels({ source: at(source) })({ id: at(source_parcel_id) }).pages

const PageList = ({ name, record }: { name: ParcelName; record: KnownRecord }) => {
  const [shown, setShown] = useState<string | null>(null)
  const pages = useQuery({
    queryKey: [...parcelKey(name), 'pages'],
    queryFn: ({ signal }) => ask(pagesOf(name).get({ fetch: { signal } })),
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
          {shown !== null && <KeptPage name={name} record={record} hash={shown} />}
          {rows.length > 0 && (
            <p className="quiet small">
              To read the pages again after you corrected the adapter or its settings:{' '}
              <code>{`bun run adapter replay ${name.source} --parcel '${name.source_parcel_id}'`}</code>
            </p>
          )}
        </div>
      )}
    </Loaded>
  )
}

const KeptPage = ({ name, record, hash }: { name: ParcelName; record: KnownRecord; hash: string }) => {
  const page = useQuery({
    queryKey: [...parcelKey(name), 'pages', hash],
    // Plain text, which has no type in the routes.
    queryFn: async ({ signal }) => String((await ask(pagesOf(name)({ hash }).get({ fetch: { signal } }))) as unknown),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const values = record ? [record, record.scrape_data].flatMap((part) => Object.values(part) as unknown[]) : []
  return <PageSource page={page} values={values} />
}
