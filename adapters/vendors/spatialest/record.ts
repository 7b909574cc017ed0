import { Type } from '@sinclair/typebox'
import type { RawDocument } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { parseJson } from '../../reading/parse-json'
import { readJson } from '../../reading/read-json'

const recordSchema = Type.Object({
  parcel: Type.Object({
    header: Type.Record(Type.String(), Type.Unknown()),
    /** Keyed by name in some counties, a list of lists in others. */
    sections: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())]),
  }),
})

export type Row = Readonly<Record<string, unknown>>

/** Every object of the record: the header first, then the sections in order, outer objects before inner ones. */
export const readRows = (documents: readonly RawDocument[]): Row[] => {
  const { parcel } = readJson([unwrapped(documentNamed(documents, 'record'))], 'record', recordSchema)
  const rows: Row[] = []
  const queue: unknown[] = [parcel.header, parcel.sections]
  for (const value of queue) {
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) rows.push(value as Row)
    for (const part of Object.values(value)) queue.push(part)
  }
  return rows
}

/** Some portals send JSON encoded as a JSON string. */
export const unwrapped = (document: RawDocument): RawDocument => {
  if (!document.body.trimStart().startsWith('"')) return document
  try {
    return { ...document, body: String(parseJson(document.body, document.name)) }
  } catch {
    return document
  }
}
