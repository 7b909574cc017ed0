import { DASH } from '../../format'
import { useFirstEntries } from '../../ui/table/first-entries'
import { type Parcel, scrapeOf } from './parcel-api'

/** Owners shown before the others are requested: a building can have thousands. */
const OWNERS_SHOWN = 10

export const OwnerNames = ({ parcel }: { parcel: Parcel }) => {
  const { shown, showAll } = useFirstEntries(ownersOf(parcel), OWNERS_SHOWN)
  return (
    <>
      <ul className="plain-list">
        {shown.map(({ name, ownership_pct, type }) => (
          <li key={name}>
            {name ?? DASH}
            <span className="quiet">
              {[ownership_pct === undefined ? null : `${ownership_pct}%`, type]
                .filter(Boolean)
                .map((part) => ` · ${part}`)}
            </span>
          </li>
        ))}
      </ul>
      {showAll}
    </>
  )
}

const ownersOf = (
  parcel: Parcel,
): { name: string | null; ownership_pct?: number | undefined; type?: string | undefined }[] => {
  const scrape = scrapeOf(parcel)
  // A load can have changed the owner after the scrape.
  const isScrapedOwner = scrape?.owner_name === undefined || scrape.owner_name === parcel.owner_name
  if (isScrapedOwner && scrape?.owners !== undefined && scrape.owners.length > 0) return scrape.owners
  const names = parcel.owner_names_all.length > 0 ? parcel.owner_names_all : [parcel.owner_name]
  return names.map((name) => ({ name }))
}
