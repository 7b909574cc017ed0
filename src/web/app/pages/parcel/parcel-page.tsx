import { Fragment } from 'react'
import { Link } from 'wouter'
import { countyTitle } from '../../../../../core/sources/county-names'
import { useAddressParams, usePathParams } from '../../address'
import { isNotFound } from '../../api/api'
import { useSource } from '../../api/sources'
import { Loaded } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { SaveParcel } from '../portfolios/save-parcel'
import { parcelPath } from '../search/entries'
import { WatchParcel } from '../watches/watch-parcel'
import { NotKnownYet, PastBanner } from './history/as-of'
import { History } from './history/history'
import { hasPortal, type Parcel, useParcel, useParcelAt, whyNeverScraped } from './parcel-api'
import { ParcelLead, ShareActions } from './parcel-head'
import { ParcelView } from './parcel-view'
import { ScrapeNow } from './scrape-now'

/** All fields of one parcel, now or at the time that the URL names (`?as_of=`). */
export const ParcelPage = () => {
  const { source, id } = usePathParams('/app/parcels/:source/:id')
  const params = useAddressParams()
  const asOf = params.get('as_of')
  const name = { source, source_parcel_id: id }
  const present = useParcel(name)
  const past = useParcelAt(name, asOf)
  const shown = asOf === null ? present : past
  const { data: county, error: sourceError } = useSource(source)
  const known = shown.data ?? present.data
  return (
    // Another time is another page: it begins at the top and takes the focus.
    <Page
      key={asOf}
      title={known?.situs_address ?? id}
      lead={known && <ParcelLead parcel={known} county={county} />}
      actions={
        asOf === null && (
          <>
            {known && <ShareActions parcel={known} county={county} />}
            {!isNotFound(present.error) && (
              <>
                <SaveParcel name={name} />
                <WatchParcel name={name} />
              </>
            )}
            {county && hasPortal(county) && <ScrapeNow name={name} />}
          </>
        )
      }
    >
      {asOf !== null && <PastBanner name={name} asOf={asOf} />}
      {shown.data?.retired_at && <RetiredNotice successors={shown.data.successors} />}
      {isNotFound(sourceError) ? (
        <Notice tone="warn">There is no source {source}. Check the URL for a typo.</Notice>
      ) : isNotFound(present.error) ? (
        <Notice tone="warn">
          {county ? countyTitle(county.county_name) : source} has no parcel {id}, or it is not stored yet.
          {county && hasPortal(county) && ' A scrape looks for it at the portal.'}
        </Notice>
      ) : asOf !== null && isNotFound(past.error) && present.data ? (
        <>
          <NotKnownYet firstStoredAt={present.data.ingested_at} />
          <History name={name} asOf={asOf} />
        </>
      ) : (
        <Loaded query={shown} what="the parcel">
          {(data) => <ParcelView parcel={data} neverScraped={whyNeverScraped(county)} asOf={asOf} />}
        </Loaded>
      )}
    </Page>
  )
}

const RetiredNotice = ({ successors }: Pick<Parcel, 'successors'>) => (
  <Notice>
    The source no longer lists this parcel.
    {successors.length > 0 && ' Its land went to '}
    {successors.map((successor, index) => (
      <Fragment key={successor.path}>
        {index > 0 && ', '}
        <Link href={parcelPath(successor)}>{successor.source_parcel_id}</Link>
      </Fragment>
    ))}
    {successors.length > 0 && '.'}
  </Notice>
)
