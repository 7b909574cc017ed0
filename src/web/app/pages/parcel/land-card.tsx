import { Link } from 'wouter'
import { formatWords } from '../../format'
import { Fact } from '../../ui/fact'
import { Time } from '../../ui/time'
import { parcelPath } from '../search/entries'
import { Card } from './card'
import { formatText } from './format-value'
import type { Parcel } from './parcel-api'
import { centerOf, formatCoordinates } from './parcel-text'

/** Use, zoning and place of a parcel, and when it was updated. `neverScraped`: why it never is, or null. */
export const LandCard = ({ parcel, neverScraped }: { parcel: Parcel; neverScraped: string | null }) => {
  const coordinates = formatCoordinates(centerOf(parcel))
  return (
    <Card title="Land">
      <dl className="facts">
        <Fact label="Land use">{parcel.land_use_class}</Fact>
        <Fact label="Zoning">{[parcel.zoning_code, parcel.zoning_description].filter(Boolean).join(': ') || null}</Fact>
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
