import { Fragment, useMemo } from 'react'
import { Link } from 'wouter'
import { useAddressParams, usePathParams } from '../../address'
import { Refusal } from '../../api/api'
import { DASH, formatDay, formatDollars, formatWords } from '../../format'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { Fact } from '../../ui/fact'
import { Figure } from '../../ui/figure'
import { Icon } from '../../ui/icon'
import { Loaded } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { ShareButton } from '../../ui/share-button'
import { useFirstEntries } from '../../ui/table/first-entries'
import { Time } from '../../ui/time'
import { MapPanel } from '../map/map-panel'
import { type MultiPolygon, placeOf } from '../map/map-parcel'
import { SaveParcel } from '../portfolios/save-parcel'
import { parcelPath } from '../search/entries'
import { WatchParcel } from '../watches/watch-parcel'
import { Accounts } from './accounts'
import { Card } from './card'
import { Documents } from './evidence/documents'
import { Provenance } from './evidence/provenance'
import { Findings } from './findings'
import { formatText } from './format-value'
import { NotKnownYet, PastBanner } from './history/as-of'
import { History } from './history/history'
import { Neighbors } from './neighbors'
import { drawOutlines } from './outlines'
import { OwnerLand } from './owner-land'
import {
  hasPortal,
  type Parcel,
  scrapeOf,
  useParcel,
  useParcelAt,
  usePortalPage,
  useSource,
  whyNeverScraped,
} from './parcel-api'
import { centerOf, formatCoordinates, parcelText } from './parcel-text'
import { ScrapeNow } from './scrape-now'
import { Scraped } from './scraped'

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
      lead={known && <Lead parcel={known} county={county} />}
      actions={
        asOf === null && (
          <>
            {known && <PageActions parcel={known} county={county} />}
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
          {county ? `${county.county_name} County` : source} has no parcel {id}, or it is not stored yet.
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

/** Shares the parcel: as a link, as text, on paper. */
const PageActions = ({ parcel, county }: { parcel: Parcel; county: ReturnType<typeof useSource>['data'] }) => {
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

const isNotFound = (error: Error | null): boolean => error instanceof Refusal && error.status === 404

const Lead = ({ parcel, county }: { parcel: Parcel; county: ReturnType<typeof useSource>['data'] }) => (
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

/** Its boundary alone, because a map cannot be printed. */
const PrintedBoundary = ({ boundary }: { boundary: MultiPolygon }) => {
  const size = { width: 320, height: 240 }
  const [path] = drawOutlines([boundary], size)
  return (
    <svg className="printed-boundary" aria-hidden="true" viewBox={`0 0 ${size.width} ${size.height}`} {...size}>
      <path d={path} />
    </svg>
  )
}

interface ViewProps {
  parcel: Parcel
  neverScraped: string | null
  asOf: string | null
}

const ParcelView = ({ parcel, neverScraped, asOf }: ViewProps) => {
  const scrape = scrapeOf(parcel)
  const name = { source: parcel.source, source_parcel_id: parcel.source_parcel_id }
  const place = useMemo(() => placeOf(parcel), [parcel])
  const coordinates = formatCoordinates(centerOf(parcel))
  return (
    <div className="parcel">
      <div className="stack">
        <dl className="figures">
          <Figure label="Assessed value">{formatDollars(parcel.assessed_value)}</Figure>
          <Figure label="Land">{formatDollars(parcel.value_land)}</Figure>
          <Figure label="Buildings">{formatDollars(parcel.value_improvement)}</Figure>
          <Figure label="Acres">
            {parcel.acreage === null ? DASH : parcel.acreage.toLocaleString('en-US', { maximumFractionDigits: 2 })}
          </Figure>
        </dl>
        {scrape ? (
          <Scraped scrape={scrape} />
        ) : (
          <p className="empty">
            {neverScraped === null
              ? 'Values, bills and sales appear after the first scrape.'
              : `Past values, bills and sales come from scrapes, and ${neverScraped}.`}
          </p>
        )}
        {parcel.accounts.length > 0 && <Accounts accounts={parcel.accounts} />}
        <History name={name} asOf={asOf} />
        {asOf === null && <Provenance parcel={parcel} />}
      </div>
      <div className="stack">
        <div className="card parcel-map">
          {place === null ? (
            <p className="empty">The boundary of this parcel is not known.</p>
          ) : (
            <>
              <MapPanel subject={{ name, boundary: place }} />
              {place.type === 'MultiPolygon' && <PrintedBoundary boundary={place} />}
            </>
          )}
        </div>
        <Card title="Owner">
          <dl className="facts">
            <Fact label={parcel.owner_names_all.length > 1 ? 'Owners' : 'Owner'}>
              <OwnerNames parcel={parcel} />
            </Fact>
            <Fact label="Mailing address">{parcel.owner_mailing_address}</Fact>
          </dl>
          {asOf === null && <OwnerLand parcel={parcel} />}
        </Card>
        <Card title="Land">
          <dl className="facts">
            <Fact label="Land use">{parcel.land_use_class}</Fact>
            <Fact label="Zoning">
              {[parcel.zoning_code, parcel.zoning_description].filter(Boolean).join(': ') || null}
            </Fact>
            {coordinates !== null && (
              <Fact label="Coordinates">
                <span className="code">{coordinates}</span>
              </Fact>
            )}
            {parcel.predecessors.length > 0 && (
              <Fact label="Land from">
                <LinkedParcels parcels={parcel.predecessors} />
              </Fact>
            )}
            {parcel.successors.length > 0 && (
              <Fact label="Land went to">
                <LinkedParcels parcels={parcel.successors} />
              </Fact>
            )}
            <Fact label="Updated">
              <Time at={parcel.updated_at} />
            </Fact>
            <Fact label="Scraped">
              {parcel.scraped_at ? (
                <>
                  <Time at={parcel.scraped_at} /> by {parcel.scraped_by}
                </>
              ) : neverScraped === null ? (
                'not yet'
              ) : (
                `never: ${neverScraped}`
              )}
            </Fact>
            {parcel.scrape_data_as_of && (
              <Fact label="Data as of">
                {formatText(parcel.scrape_data_as_of)}
                {parcel.scrape_data_as_of_source && (
                  <span className="quiet"> ({formatWords(parcel.scrape_data_as_of_source)})</span>
                )}
              </Fact>
            )}
          </dl>
        </Card>
        <Documents parcel={parcel} />
        {asOf === null && parcel.geom_geojson !== null && <Neighbors name={name} />}
        {asOf === null && <Findings name={name} isReviewed={parcel.scraped_at !== null} neverScraped={neverScraped} />}
      </div>
    </div>
  )
}

/** Owners shown before the others are requested: a building can have thousands. */
const OWNERS_SHOWN = 10

const OwnerNames = ({ parcel }: { parcel: Parcel }) => {
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

const LinkedParcels = ({ parcels }: { parcels: Parcel['successors'] }) => (
  <ul className="plain-list">
    {parcels.map((linked) => (
      <li key={linked.path}>
        <Link href={parcelPath(linked)}>{linked.source_parcel_id}</Link>
        <span className="quiet"> · {linked.kind}</span>
      </li>
    ))}
  </ul>
)
