import { formatDate } from '../../../format'
import { useFirstEntries } from '../../../ui/table/first-entries'
import { Card } from '../card'
import { type Parcel, type Scrape, scrapeOf, usePortalPage } from '../parcel-api'

type Sale = NonNullable<Scrape['sale_history']>[number]

/** Documents shown before the others are requested. */
const SHOWN = 8

/** The documents of the recorded sales, with links where the portal has them, and the portal's page of the parcel. */
export const Documents = ({ parcel }: { parcel: Parcel }) => {
  const page = usePortalPage(parcel)
  const documents = (scrapeOf(parcel)?.sale_history ?? []).filter(isRecorded)
  const { shown, showAll } = useFirstEntries(documents, SHOWN)
  if (documents.length === 0 && page === null) return null
  return (
    <Card title="Documents">
      <ul className="linked-rows">
        {shown.map((sale) => (
          <li key={JSON.stringify(sale)}>
            <DocumentName {...sale} />
            <span className="quiet small">{referenceOf(sale)}</span>
            <span className="amount">{formatDate(sale.sold_on)}</span>
          </li>
        ))}
        {page !== null && (
          <li>
            <a href={page} rel="noreferrer">
              Page of the parcel
            </a>
            <span className="quiet small">at the portal</span>
          </li>
        )}
      </ul>
      {showAll}
    </Card>
  )
}

const isRecorded = ({ document_number, book, document_url }: Sale): boolean =>
  (document_number ?? book ?? document_url) !== undefined

const DocumentName = ({ deed_type, document_url }: Sale) => {
  const name = deed_type ?? 'Deed'
  return document_url !== undefined && /^https?:/.test(document_url) ? (
    <a href={document_url} rel="noreferrer">
      {name}
    </a>
  ) : (
    <span>{name}</span>
  )
}

/** How the recorder's office finds it. */
const referenceOf = ({ document_number, book, page }: Sale): string =>
  [
    document_number === undefined ? null : `No. ${document_number}`,
    book === undefined ? null : [`Book ${book}`, page === undefined ? null : `page ${page}`].filter(Boolean).join(', '),
  ]
    .filter(Boolean)
    .join(' · ')
