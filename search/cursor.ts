import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { TEXT } from '../core/bounds'

/** Longer than the longest cursor of the service. */
export const MAX_CURSOR_CHARACTERS = 4_000

const shortHash = Type.String({ pattern: '^[A-Za-z0-9_-]{8}$' })
const shortHashes = (most: number) => Type.String({ pattern: `^([A-Za-z0-9_-]{8}){0,${most}}$` })
/** Keys of hits that an earlier page showed: 8 characters each. */
const shown = shortHashes(100)
/** How many hits before the last one a cursor names. A page starts after the latest of them that is still a hit. */
export const MAX_BEFORE = 30

/** PostgreSQL rejects NUL in text. */
const text = (maxLength: number) => Type.String({ maxLength, pattern: '^[^\\u0000]+$' })

/** The reading of the query that found the hits. */
const reading = Type.Integer({ minimum: 0, maximum: 9 })

const hitsCursor = Type.Object(
  {
    /** Hash of the query and its filters: a cursor is valid for one search. */
    search: shortHash,
    reading,
    /** The level at which the search stopped. All pages use the same one. */
    level: Type.Integer({ minimum: 0, maximum: 9 }),
    /** The last hit of the page in the order of all hits. Null: the page did not read all candidates, and `shown` has its hits. */
    last: Type.Union([
      Type.Object({
        score: Type.Number(),
        key: shortHash,
        /** The equally good hits before it, latest first. If the last hit is gone, the next page starts after one of these. */
        before: Type.Optional(shortHashes(MAX_BEFORE)),
      }),
      Type.Null(),
    ]),
    shown,
  },
  { additionalProperties: false },
)

const membersCursor = Type.Object(
  {
    search: shortHash,
    reading,
    owner: text(TEXT.name),
    /** Source and source_parcel_id of the last parcel. Null: none yet, except those in `shown`. */
    last: Type.Union([Type.Object({ source: text(100), id: text(TEXT.id) }), Type.Null()]),
    shown,
  },
  { additionalProperties: false },
)

/** Where the next page of hits starts. */
export type HitsCursor = Static<typeof hitsCursor>
/** Where the next page of the parcels of an owner starts. */
export type MembersCursor = Static<typeof membersCursor>
export type Cursor = HitsCursor | MembersCursor

export const isMembersCursor = (cursor: Cursor): cursor is MembersCursor => 'owner' in cursor

export const encodeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** `search` is the hash of the search. Null: the text is not a cursor, or is a cursor of another search. */
export const decodeCursor = (text: string, search: string): Cursor | null => {
  if (text.length > MAX_CURSOR_CHARACTERS) return null
  try {
    const cursor: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    const isCursor = Value.Check(hitsCursor, cursor) || Value.Check(membersCursor, cursor)
    return isCursor && cursor.search === search ? cursor : null
  } catch {
    return null
  }
}

/** 48 bits, as 8 characters. */
export const hashKey = (text: string): string => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(Bun.hash(text) as bigint)
  return bytes.subarray(0, 6).toString('base64url')
}

export const listShown = (cursor: Pick<Cursor, 'shown'>): Set<string> => new Set(splitKeys(cursor.shown))

export const splitKeys = (keys: string): string[] => keys.match(/.{8}/g) ?? []
