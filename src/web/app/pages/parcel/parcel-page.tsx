import { Fragment, useMemo } from 'react'
import { Link, useParams, useSearchParams } from 'wouter'
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
import { Page } from '../../ui/page'
import { ShareButton } from '../../ui/share-button'
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
  const { source = '', id = '' } = useParams<{ source: string; id: string }>()
  const [params] = useSearchParams()
  const asOf = params.get('as_of')
  const name = { source, source_parcel_id: id }
  const present = useParcel(name)
  const past = useParcelAt(name, asOf)
  const shown = asOf === null ? present : past
  const { data: county } = useSource(source)
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
      {isNotFound(present.error) ? (
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
  // A load can have changed the owner after the scrape.
  const isScrapedOwner = scrape?.owner_name === undefined || scrape.owner_name === parcel.owner_name
  const place = useMemo(() => placeOf(parcel), [parcel])
  const coordinates = formatCoordinates(centerOf(parcel))
  const owners = (isScrapedOwner && scrape?.owners) || []
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
              {owners.length > 0 ? (
                <ul className="plain-list">
                  {owners.map(({ name, ownership_pct, type }) => (
                    <li key={name}>
                      {name}
                      <span className="quiet">
                        {[ownership_pct === undefined ? null : `${ownership_pct}%`, type]
                          .filter(Boolean)
                          .map((part) => ` · ${part}`)}
                      </span>
                    </li>
                  ))}
                </ul>
              ) : (
                <ul className="plain-list">
                  {(parcel.owner_names_all.length > 0 ? parcel.owner_names_all : [parcel.owner_name]).map((owner) => (
                    <li key={owner}>{owner ?? DASH}</li>
                  ))}
                </ul>
              )}
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
