import { useMemo } from 'react'
import { formatAcres, formatDollars } from '../../format'
import { Fact } from '../../ui/fact'
import { Figure } from '../../ui/figure'
import { MapPanel } from '../map/map-panel'
import { type MultiPolygon, placeOf } from '../map/map-parcel'
import { Accounts } from './accounts'
import { Card } from './card'
import { Documents } from './evidence/documents'
import { Provenance } from './evidence/provenance'
import { Findings } from './findings'
import { History } from './history/history'
import { LandCard } from './land-card'
import { Neighbors } from './neighbors'
import { drawOutlines } from './outlines'
import { OwnerLand } from './owner-land'
import { OwnerNames } from './owner-names'
import { type Parcel, scrapeOf } from './parcel-api'
import { Scraped } from './scraped'
import { sizeOfLand } from './size-of-land'

interface ViewProps {
  parcel: Parcel
  /** Why no scrape will ever fill the parcel; null if one may. */
  neverScraped: string | null
  /** The time of an earlier record (ISO 8601); null for the present one, which alone has provenance, neighbors and findings. */
  asOf: string | null
}

/** The record of a parcel: values and history on the left, place, owner and land on the right. */
export const ParcelView = ({ parcel, neverScraped, asOf }: ViewProps) => {
  const scrape = scrapeOf(parcel)
  const name = { source: parcel.source, source_parcel_id: parcel.source_parcel_id }
  return (
    <div className="parcel">
      <div className="stack">
        <Figures parcel={parcel} />
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
        <MapCard parcel={parcel} />
        <Card title="Owner">
          <dl className="facts">
            <Fact label={parcel.owner_names_all.length > 1 ? 'Owners' : 'Owner'}>
              <OwnerNames parcel={parcel} />
            </Fact>
            <Fact label="Mailing address">{parcel.owner_mailing_address}</Fact>
          </dl>
          {asOf === null && <OwnerLand parcel={parcel} />}
        </Card>
        <LandCard parcel={parcel} neverScraped={neverScraped} />
        <Documents parcel={parcel} />
        {asOf === null && parcel.geom_geojson !== null && <Neighbors name={name} />}
        {asOf === null && <Findings name={name} isReviewed={parcel.scraped_at !== null} neverScraped={neverScraped} />}
      </div>
    </div>
  )
}

const Figures = ({ parcel }: { parcel: Parcel }) => {
  const { label, acres } = sizeOfLand(parcel)
  return (
    <dl className="figures">
      <Figure label="Assessed value">{formatDollars(parcel.assessed_value)}</Figure>
      <Figure label="Land">{formatDollars(parcel.value_land)}</Figure>
      <Figure label="Buildings">{formatDollars(parcel.value_improvement)}</Figure>
      <Figure label={label}>{formatAcres(acres)}</Figure>
    </dl>
  )
}

const MapCard = ({ parcel }: { parcel: Parcel }) => {
  const place = useMemo(() => placeOf(parcel), [parcel])
  const name = { source: parcel.source, source_parcel_id: parcel.source_parcel_id }
  return (
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
