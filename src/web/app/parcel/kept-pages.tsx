import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, at } from '../api/api'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { DataTable } from '../ui/data-table'
import { Dialog } from '../ui/dialog'
import { Loaded } from '../ui/loaded'
import { Time } from '../ui/time'
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
                  <span className="cell-message" title={message ?? undefined}>
                    <Badge tone={outcome === 'done' ? 'good' : 'bad'}>{outcome}</Badge>
                  </span>
                ),
              },
              { name: 'Adapter', cell: ({ adapter, version }) => `${adapter} ${version}` },
              {
                name: 'Source text',
                cell: ({ hash, fetched_at }) => (
                  <Button aria-label={`Show the page of ${fetched_at}`} onClick={() => setShown(hash)}>
                    Show
                  </Button>
                ),
              },
            ]}
          />
          {shown !== null && <PageSource parcel={parcel} hash={shown} />}
        </div>
      )}
    </Loaded>
  )
}

const PageSource = ({ parcel, hash }: { parcel: Parcel; hash: string }) => {
  const source = useQuery({
    queryKey: [...parcelKey(parcel), 'pages', hash],
    // Plain text, which has no type in the routes.
    queryFn: async ({ signal }) => String((await ask(pagesOf(parcel)({ hash }).get({ fetch: { signal } }))) as unknown),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Loaded query={source} what="the page">
      {(text) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="page-source" tabIndex={0} aria-label="Source text of the page">
          <pre>{markValues(text, parcel)}</pre>
        </section>
      )}
    </Loaded>
  )
}

/** Shorter values are found everywhere on a page. */
const MIN_MARKED_CHARACTERS = 4
const MAX_MARKED_CHARACTERS = 300_000

/** The text with the places marked that show values of the record as they are stored. */
const markValues = (text: string, parcel: Parcel) => {
  const values = [parcel, parcel.scrape_data]
    .flatMap((record) => Object.values(record) as unknown[])
    .flatMap((value) => (typeof value === 'number' ? [String(value), value.toLocaleString('en-US')] : value))
    .filter((value): value is string => typeof value === 'string' && value.length >= MIN_MARKED_CHARACTERS)
  if (values.length === 0 || text.length > MAX_MARKED_CHARACTERS) return text
  const longestFirst = [...new Set(values)].sort((one, other) => other.length - one.length)
  const pattern = longestFirst.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text.split(new RegExp(`(${pattern})`, 'i')).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name than their place
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  )
}
