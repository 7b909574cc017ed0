import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ANYBODY } from '../../../core/postgres/replicas/reads'
import { SOURCE_STATES } from '../../../core/sources/source-state'
import { COVERED_FIELDS, readCoverage } from '../../coverage/read-coverage'
import { errorBody } from '../convention/errors'
import { createStaticResponse, type StaticResponse } from '../convention/response/static-response'
import type { Deps } from '../deps'
import {
  at,
  atOrNull,
  CONDITIONAL,
  closed,
  count,
  countOf,
  nullable,
  oneOf,
  sourceSlug,
  textOf,
  textOrNull,
} from '../schemas'

const KEPT_MS = 60_000

const rate = (field: string) =>
  Type.Number({ minimum: 0, maximum: 1, description: `Share of parcels that have \`${field}\`.`, examples: [0.98] })
const milliseconds = (description: string) => nullable(Type.Number({ minimum: 0, description, examples: [4.2] }))

const countyCoverage = Type.Object(
  {
    source: sourceSlug,
    state: textOf('State of the county (2-letter code).', 'OR'),
    county_name: textOf('Name of the county.', 'Larkspur'),
    status: oneOf(SOURCE_STATES, {
      description:
        'State of the source. `failing`: errors in the last 24 hours without a later success. `errors`: other errors in that time. `overdue`: its refresh is more than a day late. `inactive`: the service does not refresh it.',
      examples: ['ok'],
    }),
    parcels: countOf('Parcels that the source lists.', 5_000),
    retired: countOf('Parcels that the source no longer lists.', 12),
    fill_rates: Type.Union(
      [
        Type.Object(
          Object.fromEntries(COVERED_FIELDS.map((field) => [field, rate(field)])) as Record<
            string,
            ReturnType<typeof rate>
          >,
          closed,
        ),
        Type.Null(),
      ],
      {
        description:
          'For each field, the share of listed parcels that have a value. `geom` is the boundary. Null without parcels.',
        examples: [Object.fromEntries(COVERED_FIELDS.map((field) => [field, 0.98]))],
      },
    ),
    bbox: Type.Union([Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }), Type.Null()], {
      description: 'Bounding box of the parcels: [west, south, east, north]. Null if no parcel has a boundary.',
      examples: [[-120.6, 43.9, -120.4, 44.1]],
    }),
    last_refresh_at: atOrNull(
      'Time of the last scrape, complete refresh or applied load; null if there was none. A load that is held, discarded or undone does not count.',
    ),
    data_as_of: textOrNull('How current the data is, as the source says: a year or a date; null if unknown.', '2026'),
    data_is_stale: Type.Boolean({
      description: 'Whether the data is older than two refresh intervals of the source.',
      examples: [false],
    }),
    changes_30d: countOf(
      'Parcels added, changed or retired in the last 30 days. A parcel counts once for each change.',
      120,
    ),
    counted_at: atOrNull('Time when the parcels were counted; null: not counted yet.'),
  },
  { ...closed, component: 'CountyCoverage', description: 'What data the service has for a county.' },
)

const coverageBody = Type.Object(
  {
    dataset_version: countOf('Version of the data.', 48_211),
    generated_at: at('Time of these figures.'),
    api: Type.Object(
      {
        requests: countOf('Requests that are measured.', 12_000),
        p50_ms: milliseconds('Half of the requests took at most this long, in ms; null without requests.'),
        p95_ms: milliseconds('95% of the requests took at most this long, in ms; null without requests.'),
      },
      {
        ...closed,
        description:
          'Response times of `/v1` in the last hour, in the process that responds. Requests that wait for a portal or for changes are not measured.',
      },
    ),
    count,
    sources: Type.Array(countyCoverage, {
      description: 'Ordered by slug. Inactive sources without parcels are left out.',
    }),
  },
  {
    ...closed,
    component: 'Coverage',
    description: 'Counties, how complete and current their data is, and response times.',
  },
)

/** One document for all callers. It is built again after a minute, or when a source was counted. Callers who arrive during a build share it. */
export const coverageRoutes = ({
  reads,
  latency,
  coverage: { heardAt },
}: Pick<Deps, 'reads' | 'latency' | 'coverage'>) => {
  let kept: { builtAt: number; document: Promise<StaticResponse> } | null = null

  const build = async (): Promise<StaticResponse> =>
    createStaticResponse(JSON.stringify(await readCoverage(reads, { ...ANYBODY, since: heardAt() }, latency)), {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=60',
    })

  return new Elysia({ normalize: false }).get(
    '/coverage',
    async ({ request }) => {
      if (kept === null || kept.builtAt < Math.max(heardAt(), performance.now() - KEPT_MS)) {
        const builtAt = performance.now()
        const document = build()
        kept = { builtAt, document }
        document.catch(() => {
          if (kept?.document === document) kept = null
        })
      }
      return (await kept.document)(request)
    },
    {
      response: { 200: coverageBody, 500: errorBody, 503: errorBody },
      detail: {
        ...CONDITIONAL,
        tags: ['sources'],
        summary: 'Get the coverage: counties, their parcels, and how current they are',
        description:
          'Public. Updated once a minute, and when a load or an undo ends, which counts the parcels of its source if it changed at least 1% of them. After other changes, parcels are counted at most once an hour.',
        operationId: 'getCoverage',
        security: [],
      },
    },
  )
}
