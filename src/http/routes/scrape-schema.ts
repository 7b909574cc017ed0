import { Type } from '@sinclair/typebox'
import { timestamp } from '../schemas'

const entries = (description: string) =>
  Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }), { description }))

/** What a scrape found (api-spec, Scrape). The fields inside entries are those that the portal shows. */
export const scrape = Type.Object(
  {
    parcel_number: Type.String(),
    owner_name: Type.Optional(Type.String()),
    owners: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          ownership_pct: Type.Optional(Type.Number()),
          type: Type.Optional(Type.String()),
        }),
      ),
    ),
    statements: entries('Tax statements, one a year.'),
    valuation_history: entries('Valuations, one a year.'),
    sale_history: entries('Recorded sales.'),
    exemptions: entries('Exemptions.'),
    improvements: entries('Buildings.'),
    fetched_at: timestamp,
    data_as_of: Type.Optional(Type.String({ description: 'A year or an ISO date.' })),
    data_as_of_source: Type.Optional(
      Type.Union(
        ['header', 'page-marker', 'feature-server', 'latest-tax-year', 'page-footer', 'etag'].map((value) =>
          Type.Literal(value),
        ),
      ),
    ),
    http_etag: Type.Optional(Type.String()),
    http_last_modified: Type.Optional(Type.String()),
    sale_history_observed_at: Type.Optional(timestamp),
    review_findings: entries('What the review engine noticed.'),
  },
  { additionalProperties: true },
)
