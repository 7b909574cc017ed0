import { Type } from '@sinclair/typebox'
import { TEXT, WATCH_BOUNDS } from '../../../../core/bounds'
import { formatCount } from '../../../../core/text/count-noun'
import { CHANGE_ACTIONS, DELIVERY_STATUSES, WATCH_KINDS } from '../../../../drizzle/schema/values'
import { polygonOf } from '../../convention/parameters/area'
import {
  at,
  atOrNull,
  closed,
  countOf,
  countOrNull,
  idOf,
  nullable,
  oneOf,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
  uuid,
  WHO,
} from '../../schemas'

const FIELDS = `At most ${WATCH_BOUNDS.fields} names of fields: those of a parcel, \`geom\` for the boundary, \`retired_at\`, and \`scrape_data\` or \`scrape_data.NAME\` for the scrape data.`

export const fields = Type.Array(
  Type.String({
    pattern: '^[a-z][a-z0-9_]*(\\.[A-Za-z0-9_]+)?$',
    maxLength: 100,
    takes: 'the name of a field, such as owner_name or scrape_data.sale_history',
    examples: ['owner_name'],
  }),
  {
    maxItems: WATCH_BOUNDS.fields,
    takes: `a list of at most ${WATCH_BOUNDS.fields} names of fields`,
    description: `Only changes of one of these fields match. Parcels that are created, retired, returned or deleted always match. ${FIELDS} Null or empty: all changes match.`,
    examples: [['owner_name', 'assessed_value']],
  },
)
export const fieldsOrNull = Type.Union([fields, Type.Null()], {
  takes: `null or a list of at most ${WATCH_BOUNDS.fields} names of fields, such as owner_name or scrape_data.sale_history`,
  description: fields.description as string,
  examples: fields.examples as unknown[],
})

export const kind = oneOf(WATCH_KINDS, {
  description:
    'What the watch follows: one parcel, the parcels of an owner, the parcels that intersect a polygon, all parcels of a source, or the alerts of the service (for admins).',
  examples: ['parcel'],
})

export const ownerName = Type.String({
  minLength: 1,
  maxLength: TEXT.name,
  takes: `a name of 1 to ${TEXT.name} characters`,
  description:
    'For kind `owner`: the name of an owner. Case, punctuation, accents and the spelling of company forms do not matter. Changes match if this was the owner before or after the change.',
  examples: ['Juniper Holdings LLC'],
})

export const polygon = polygonOf(
  'WatchPolygon',
  `For kind \`polygon\`: a GeoJSON Polygon or MultiPolygon with at most ${formatCount(WATCH_BOUNDS.positions)} positions. A parcel matches if its boundary, or its point if the boundary is unknown, intersects the polygon before or after the change.`,
)

export const webhookUrl = Type.String({
  maxLength: WATCH_BOUNDS.urlCharacters,
  takes: 'an https URL',
  description: 'The https URL that receives the changes. It must be on the public internet.',
  examples: ['https://hooks.larkspur.example/parcels'],
})
export const webhookUrlOrNull = Type.Union([webhookUrl, Type.Null()], {
  takes: 'an https URL or null',
  description: `${webhookUrl.description} Null: no webhook. The changes are in the watch's log and on \`/v1/events\` either way.`,
  examples: webhookUrl.examples as unknown[],
})

const secretOrNull = Type.Union([Type.String({ pattern: '^whsec_' }), Type.Null()], {
  description:
    'Signs the requests to the webhook. It is shown only once. Null: there is no webhook, or the secret is the same as before.',
  examples: ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='],
})

export const watchFields = {
  id: idOf('watch'),
  kind,
  source: Type.Union([sourceSlug, Type.Null()], {
    description: 'For kinds `parcel` and `source`: the source.',
    examples: ['sample-county'],
  }),
  source_parcel_id: Type.Union([sourceParcelId, Type.Null()], {
    description: 'For kind `parcel`: the id of the parcel, in the notation of its source.',
    examples: ['12-0345-0670'],
  }),
  owner_name: Type.Union([ownerName, Type.Null()], {
    description: 'For kind `owner`: the name of the owner.',
    examples: ownerName.examples as unknown[],
  }),
  fields: fieldsOrNull,
  active: Type.Boolean({
    description:
      'Whether the watch is active. An inactive watch sends nothing, and misses the changes that are made in the meantime.',
    examples: [true],
  }),
  webhook_url: webhookUrlOrNull,
  webhook_state: nullable(
    Type.String({
      description:
        '`unused`: nothing was sent yet. `working`: the last request succeeded. `failing`: the last request failed and will be repeated. `failed`: at least one change was given up after 3 days, and none was delivered since. Null: no webhook.',
      examples: ['working'],
    }),
  ),
  last_error: textOrNull(
    'Why the last request to the webhook failed; null if it succeeded.',
    'hooks.larkspur.example responded with status 503',
  ),
  last_delivered_at: atOrNull('When a request last succeeded, to within 5 s.'),
  last_failed_at: atOrNull('When a change was last given up.'),
  missed: countOf(
    `Number of changes that were left out because ${formatCount(WATCH_BOUNDS.pending)} webhooks were waiting, or because ${WATCH_BOUNDS.ofOneChange} older watches of the same owner got the change. It is reset to 0 when the URL changes or the watch becomes active again.`,
    0,
  ),
  missed_after: countOrNull(
    'The version before the first change that was left out; null if there was none. `GET /v1/changes?after=` has all changes after it.',
    70_412,
  ),
  held_until: atOrNull('After several failures in a row, nothing is sent until then; null if requests are sent.'),
  created_by: textOf(`Who the watch belongs to: ${WHO}.`, 'pk_1a2b3'),
  created_at: at('When it was added.'),
}

export const watch = Type.Object(watchFields, {
  ...closed,
  component: 'Watch',
  description: 'A watch, without its polygon.',
})

const withPolygon = {
  ...watchFields,
  polygon: Type.Union([polygon, Type.Null()], {
    description: 'For kind `polygon`: the polygon, as a MultiPolygon.',
    examples: polygon.examples as unknown[],
  }),
}

export const watchWithPolygon = Type.Object(withPolygon, {
  ...closed,
  component: 'WatchWithPolygon',
  description: 'A watch.',
})

export const watchWithSecret = Type.Object(
  { ...withPolygon, webhook_secret: secretOrNull },
  { ...closed, component: 'WatchWithSecret', description: 'A watch, with the secret of its webhook if that is new.' },
)

export const delivery = Type.Object(
  {
    id: idOf('delivery. All its requests have it as `webhook-id`'),
    status: oneOf(DELIVERY_STATUSES, {
      description:
        '`pending`: not delivered yet. `failed`: given up. `recorded`: the watch had no webhook, so nothing is sent.',
      examples: ['delivered'],
    }),
    version: countOrNull('Version of the change; null for a test or a message about alerts.', 70_413),
    source: textOrNull('Source of the parcel; null without a change.', 'sample-county'),
    source_parcel_id: textOrNull('Id of the parcel; null without a change.', '12-0345-0670'),
    action: Type.Union([oneOf(CHANGE_ACTIONS), Type.Null()], {
      description: 'What happened to the parcel; null without a change.',
      examples: ['changed'],
    }),
    fields: Type.Union([Type.Array(Type.String({ examples: ['owner_name'] })), Type.Null()], {
      description: 'Fields that changed; null without a change.',
      examples: [['owner_name']],
    }),
    alert_rule: textOrNull('The rule of a message about alerts; otherwise null.', 'source_failing'),
    alert_state: Type.Union([oneOf(['raised', 'resolved']), Type.Null()], {
      description: 'Whether the message says that alerts were raised or that they ended; null for other deliveries.',
      examples: ['raised'],
    }),
    alert_count: countOrNull('How many alerts the message is about; null for other deliveries.', 1),
    attempts: countOf('Requests sent, as far as their results are known.', 1),
    next_attempt_at: atOrNull(
      'Earliest time of the next request; null if none follows. Changes of one parcel are sent in order, so it may be later.',
    ),
    response_status: countOrNull('Status of the last response; null if there was none.', 200),
    response: textOrNull('The beginning of the last response.', 'ok'),
    duration_ms: countOrNull('Duration of the last request.', 120),
    error: textOrNull('Why the last request failed.', 'hooks.larkspur.example responded with status 503'),
    created_at: at('When the change was matched.'),
    finished_at: atOrNull('When it was delivered or given up.'),
  },
  {
    ...closed,
    component: 'WatchDelivery',
    description: 'A change or a message about alerts that a watch matched, or a test of its webhook.',
  },
)

export const watchKey = Type.Object({
  id: Type.String({ description: 'A watch id (UUID).', examples: uuid.examples as unknown[] }),
})
export const deliveryKey = Type.Object({
  id: Type.String({ description: 'A watch id (UUID).', examples: uuid.examples as unknown[] }),
  delivery: Type.String({ description: 'A delivery id (UUID).', examples: uuid.examples as unknown[] }),
})

/** The secret and the names of owners must not be cached. */
export const PRIVATE = { 'cache-control': 'no-store' }
