import type { MultiPolygon } from 'geojson'
import type { Scrape } from '../../../adapters/scrape'
import { review } from '../../../src/scrape/review/review'
import type { ReviewedParcel, ReviewInput } from '../../../src/scrape/review/rule'

export const SOUND_LOT: MultiPolygon = {
  type: 'MultiPolygon',
  coordinates: [
    [
      [
        [-120.5, 43.9],
        [-120.499, 43.9],
        [-120.499, 43.901],
        [-120.5, 43.901],
        [-120.5, 43.9],
      ],
    ],
  ],
}

interface Changes extends Partial<Omit<ReviewInput, 'parcel' | 'scrape'>> {
  parcel?: Partial<ReviewedParcel>
  scrape?: Partial<Scrape>
}

/** A parcel without findings, with `changes` applied. */
export const inputOf = ({ parcel, scrape, ...rest }: Changes = {}): ReviewInput => ({
  parcel: {
    geom: SOUND_LOT,
    acreage: 2.2,
    ownerName: 'MARLOWE ROSE',
    ownerMailingAddress: '123 N ALDER ST, ELM OR 97001',
    situsAddress: '123 N ALDER ST',
    landUseClass: 'RESIDENTIAL',
    assessedValue: 250_000,
    valueLand: 100_000,
    valueImprovement: 150_000,
    ...parcel,
  },
  scrape: { parcel_number: '1', fetched_at: '2026-11-21T00:00:00.000Z', ...scrape },
  previous: null,
  former: {},
  changes: [],
  state: 'WA',
  dataAsOf: '2026',
  cadence: 'annual',
  now: new Date('2026-11-21T12:00:00Z'),
  ...rest,
})

/** The findings of one rule for a normal parcel with `changes`. */
export const findBy = (rule: string, changes: Changes) =>
  review(inputOf(changes))
    .filter((finding) => finding.rule === rule)
    .map(({ subject, severity, evidence }) => ({ subject, severity, evidence }))

export const severitiesBy = (rule: string, changes: Changes): string[] =>
  findBy(rule, changes).map(({ severity }) => severity)
