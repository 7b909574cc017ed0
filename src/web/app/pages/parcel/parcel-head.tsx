import type { Source } from '../../api/sources'
import { formatDay } from '../../format'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { Icon } from '../../ui/icon'
import { ShareButton } from '../../ui/share-button'
import { hasPortal, type Parcel, usePortalPage } from './parcel-api'
import { parcelText } from './parcel-text'

/** The line below the title: city, parcel id, county, and a link to the portal. */
export const ParcelLead = ({ parcel, county }: { parcel: Parcel; county: Source | undefined }) => (
  <>
    {[[parcel.situs_city, parcel.situs_state].filter(Boolean).join(', '), parcel.situs_zip].filter(Boolean).join(' ')}
    {parcel.situs_city && ' · '}
    <span className="code">{parcel.source_parcel_id}</span>
    {' · '}
    {county === undefined ? parcel.source : `${county.county_name}, ${county.state}`}
    {county && hasPortal(county) && (
      <>
        {' · '}
        <PortalLink parcel={parcel} portal={county.base_url} />
      </>
    )}
    {parcel.retired_at && (
      <>
        {' · '}
        <Badge tone="warn">Retired {formatDay(parcel.retired_at)}</Badge>
      </>
    )}
  </>
)

/** Leads to the parcel's own page of the portal if it is known. */
const PortalLink = ({ parcel, portal }: { parcel: Parcel; portal: string }) => {
  const page = usePortalPage(parcel)
  return (
    <a href={page ?? portal} rel="noreferrer">
      {page === null ? 'Portal' : 'Page at the portal'}
    </a>
  )
}

/** Shares the parcel: as a link, as text, on paper. */
export const ShareActions = ({ parcel, county }: { parcel: Parcel; county: Source | undefined }) => {
  const place = county === undefined ? parcel.source : `${county.county_name}, ${county.state}`
  return (
    <>
      <ShareButton />
      <CopyButton text={() => parcelText(parcel, place, location.href)} label="Copy as text" isIconOnly />
      <Button title="Print" onClick={() => print()}>
        <Icon name="print" />
        <span className="unseen">Print</span>
      </Button>
    </>
  )
}
