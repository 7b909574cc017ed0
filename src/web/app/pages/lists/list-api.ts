import { api, ask, at, Refusal } from '../../api/api'
import { readKey } from '../../session/key'
import { saveCsv } from '../../ui/save-file'

const PAGE = 20

export const listMatches = (after: string | null, signal: AbortSignal) =>
  ask(api.v1.matches.get({ query: { limit: PAGE, ...(after === null ? {} : { after }) }, fetch: { signal } }))
export type Match = Awaited<ReturnType<typeof listMatches>>['matches'][number]

export const retryMatch = (id: string) => ask(api.v1.matches({ id: at(id) }).retry.post({}))
export const removeMatch = (id: string) => ask(api.v1.matches({ id: at(id) }).delete())

/** What a column can have, and its name on the page. */
export const FIELDS = [
  ['', 'something else'],
  ['address', 'address'],
  ['unit', 'unit'],
  ['city', 'city'],
  ['state', 'state'],
  ['zip', 'ZIP code'],
  ['county', 'county'],
  ['parcel_id', 'parcel id'],
  ['owner', 'owner'],
  ['lon', 'longitude'],
  ['lat', 'latitude'],
  ['source', 'source'],
] as const
export type FieldName = (typeof FIELDS)[number][0]

export interface Upload {
  id: string
  format: 'csv' | 'ndjson'
  lines: number
  columns: { name: string; field: FieldName | null; samples: string[] }[]
}

const withKey = (headers: Record<string, string> = {}): Record<string, string> => {
  const key = readKey()
  return key === null ? headers : { ...headers, 'x-service-key': key }
}

/** @throws Refusal if the response is not a success, or if there is none */
const checked = async (responding: Promise<Response>): Promise<Response> => {
  const response = await responding.catch(() => {
    throw new Refusal(0, 'The service does not respond. Check your network.')
  })
  if (response.ok) return response
  const told = (await response.json().catch(() => null)) as { error?: unknown } | null
  throw new Refusal(
    response.status,
    typeof told?.error === 'string' ? told.error : `The service responded with ${response.status}.`,
  )
}

/** The media type of a list, by the name of its file. */
export const typeOfList = (name: string): string =>
  /\.(?:ndjson|jsonl|json)$/i.test(name) ? 'application/x-ndjson' : 'text/csv'

/** @throws Refusal */
export const uploadList = async (file: File): Promise<Upload> => {
  const headers = withKey({ 'content-type': typeOfList(file.name) })
  const body = await file.arrayBuffer()
  const response = await checked(fetch('/v1/uploads', { method: 'POST', headers, body }))
  return response.json() as Promise<Upload>
}

/** The columns that have something, as the service takes them. */
export const namedColumns = (fields: Readonly<Record<string, FieldName>>): Record<string, Exclude<FieldName, ''>> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, field]) => (field === '' ? [] : [[name, field]])))

/** @throws Refusal */
export const startMatch = (upload: string, fields: Readonly<Record<string, FieldName>>) =>
  ask(api.v1.matches.post({ upload, columns: namedColumns(fields) }, { query: {} }))

/** Saves the rows of a match as a CSV. @throws Refusal */
export const saveResults = async (id: string, outcome: string | null): Promise<void> => {
  const query = outcome === null ? '' : `?outcome=${outcome}`
  const response = await checked(fetch(`/v1/matches/${at(id)}/results${query}`, { headers: withKey() }))
  saveCsv(`match-${id}.csv`, await response.blob())
}
