import { Type } from '@sinclair/typebox'
import { isLoggedField, LOGGED_FIELDS } from '../../../../core/parcels/fields'
import { countNoun } from '../../../../core/text/count-noun'
import { listHistory } from '../../../../drizzle/queries/changes/list-history'
import { findParcelId } from '../../../../drizzle/queries/parcels/parcels'
import { HttpError } from '../../convention/errors'
import { parseTime } from '../../convention/parameters/parse-time'
import { findStart, readChanges } from '../../routes/changes/read-changes'
import { quote } from '../answer'
import { pageOf } from '../describe-parcel'
import { closedInput, limit, owner, parcelId, source, time } from '../schemas'
import { defineTool, type ToolContext } from '../tool'

export const changesTool = defineTool({
  name: 'changes',
  title: 'List changes of parcels',
  description:
    'Returns what changed, from what to what, when and why. With source and source_parcel_id: the history of that parcel, newest first. Otherwise the changes since a time, oldest first, of all parcels, of a source, or of an owner.',
  needs: 'read',
  input: closedInput({
    source: Type.Optional(source),
    source_parcel_id: Type.Optional(parcelId),
    owner: Type.Optional(owner),
    field: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 120,
        description: 'Only changes of this field, such as "owner_name", "assessed_value", "boundary" or "retired_at".',
      }),
    ),
    since: Type.Optional(time('Changes from then on. Default: 7 days ago; for one parcel, all.')),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: '`after` of the previous answer, for the next page.',
      }),
    ),
    limit: Type.Optional(limit(100, 20)),
  }),
  call: (input, context) => {
    const { source, source_parcel_id, owner, field, since, limit = 20, after = null } = input
    if (source_parcel_id === undefined) return listSince(input, context)
    if (source === undefined) throw new HttpError(400, 'source_parcel_id needs source')
    if (owner !== undefined || field !== undefined)
      throw new HttpError(400, 'source_parcel_id must not be given together with owner or field')
    const from = since === undefined ? null : parseTime('since', since)
    return listOfParcel({ source, id: source_parcel_id }, { limit, after, since: from }, context)
  },
})

const DEFAULT_DAYS = 7

interface Change {
  version: number
  at: string
  source: string
  source_parcel_id: string
  action: string
  cause: string | null
  changes: Record<string, { former: unknown; new: unknown }>
}

const listSince = async (
  input: { source?: string; owner?: string; field?: string; since?: string; after?: number; limit?: number },
  { deps: { reads, datasetVersion, listTurns, baseUrl }, caller }: ToolContext,
) => {
  if (input.since !== undefined && input.after !== undefined)
    throw new HttpError(400, 'since and after must not be given together')
  const since = input.since ?? new Date(Date.now() - DEFAULT_DAYS * 86_400_000).toISOString()
  const start = input.after ?? (await findStart(reads, caller, parseTime('since', since)))
  const filter = {
    source: input.source ?? null,
    owner: input.owner ?? null,
    fields: readField(input.field),
    boxes: null,
  }
  const wanted = { after: start, limit: input.limit ?? 20, filter }
  const { count, rows, reached, watermark } = await listTurns.run(caller, () =>
    readChanges({ reads, datasetVersion }, caller, wanted),
  )
  const hasMore = reached < watermark
  const from = input.after === undefined ? ` since ${since}` : ''
  return {
    lines: [
      `${countNoun(count, 'change')}${from}, oldest first.`,
      ...(hasMore ? [`More: narrow by source, owner or field, or call again with after=${reached}.`] : []),
    ],
    records: (JSON.parse(`[${rows}]`) as Change[]).map((change) => describe(change, baseUrl)),
  }
}

/** The boundary has another name here than in the log. @throws HttpError 400 */
const readField = (field: string | undefined): string[] | null => {
  if (field === undefined) return null
  const name = field === 'boundary' ? 'geom' : field
  if (isLoggedField(name)) return [name]
  const known = LOGGED_FIELDS.map((logged) => (logged === 'geom' ? 'boundary' : logged))
  throw new HttpError(400, `field must be one of ${known.join(', ')}`)
}

const listOfParcel = async (
  key: { source: string; id: string },
  { limit, after, since }: { limit: number; after: number | null; since: string | null },
  { deps: { reads, baseUrl }, caller }: ToolContext,
) => {
  const { bodies, next } = await reads.run(caller, async (db) => {
    const id = await findParcelId(db, key)
    if (id === null) throw new HttpError(404, `No parcel ${quote(key.id)} in ${key.source}. Try search with the id.`)
    return listHistory(db, id, { after, limit: limit + 1 })
  })
  const changes = bodies.map((body) => JSON.parse(body) as Change).filter(({ at }) => since === null || at >= since)
  const page = changes.slice(0, limit)
  // Large changes make the page shorter than what was read for.
  const isCut = next !== null && bodies.length <= limit && changes.length === bodies.length
  return {
    lines: [
      `${countNoun(page.length, 'change')} of parcel ${quote(key.id)} of ${key.source}${since === null ? '' : ` since ${since}`}, newest first.`,
      ...(changes.length > limit || isCut ? [`More: call again with after=${page.at(-1)?.version}.`] : []),
    ],
    records: page.map((change) => describe(change, baseUrl)),
  }
}

const MAX_VALUE_CHARACTERS = 200

/** A change in one line. Boundaries and long values are left out; the parcel's page shows them. */
const describe = ({ at, source, source_parcel_id, action, cause, changes }: Change, baseUrl: string) => ({
  at,
  source,
  source_parcel_id,
  action,
  cause,
  changes: Object.fromEntries(
    Object.entries(changes).map(([field, { former, new: now }]) => [
      field === 'geom' ? 'boundary' : field,
      field === 'geom' ? 'changed' : { former: show(field, former), new: show(field, now) },
    ]),
  ),
  page: pageOf(baseUrl, source, source_parcel_id),
})

const show = (field: string, value: unknown): unknown => {
  if (value === null) return field === 'retired_at' ? 'not retired' : 'unknown'
  if (Array.isArray(value) && value.length === 0) return 'none'
  const text = JSON.stringify(value)
  return text.length <= MAX_VALUE_CHARACTERS ? value : `${text.slice(0, MAX_VALUE_CHARACTERS)}…`
}
