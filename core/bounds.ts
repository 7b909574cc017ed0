import { formatCount } from './text/count-noun'

/*
 * The one table of bounds: how much untrusted input (files, portals, callers) the service reads and stores. Request bodies, the log,
 * ingest, scrapes, crawls and the check constraints of the schema use it. Add new limits here; parcels/fields.ts has each field's.
 */

/** Bodies of requests to the API. The largest valid one requests 1,000 scrapes: 3,001 values, each text under 1 KB. */
export const REQUEST_BODY = {
  bytes: 1024 * 1024,
  /** Levels of nested arrays and objects. */
  depth: 64,
  /** Values of all kinds, nested ones included. Objects with many different names cost the most. */
  values: 10_000,
  /** One text or field name, as written in the body. The patterns of fields run over the whole text. */
  textBytes: 16 * 1024,
} as const

/** No parcel is larger: this is about half the area of the 48 contiguous states. */
export const MAX_ACRES = 1_000_000_000

/** Maximum positions of an area that a caller sends to find parcels in. */
export const MAX_AREA_POSITIONS = 10_000

/** A body with such an area: each position is three values (a list of two numbers), and there are few others. */
export const AREA_BODY = { ...REQUEST_BODY, values: 3 * MAX_AREA_POSITIONS + 5_000 } as const

/**
 * Bytes of bodies that one process receives at the same time, by their Content-Length. A body is received even while its request
 * waits for something else, and takes up to its full size in memory. Requests beyond these limits get a 503 immediately.
 */
export const BODIES_UNDER_WAY = {
  /** For all callers together whose key has not been checked yet. */
  unauthenticatedBytes: 64 * 1024 * 1024,
  /** For each account with all its keys and sessions, and for each key without an account. */
  callerBytes: 32 * 1024 * 1024,
} as const

/** One field of a log line. An error message can quote input of any length. */
export const LOG_TEXT_CHARACTERS = 4_000

/**
 * Maximum length of each kind of text, in characters (code points, as PostgreSQL's `length` counts them). Names and ids are
 * indexed: with four bytes per character they still fit into the 2,704 bytes of a B-tree index row.
 */
export const TEXT = { id: 256, code: 100, label: 250, name: 500, address: 500, text: 2_000 } as const

/** Columns of a company in a business registry. */
export const ENTITY_TEXT = {
  registry_number: TEXT.id,
  name: TEXT.name,
  entity_type: TEXT.label,
  status: TEXT.label,
  registered_agent_name: TEXT.name,
} as const

/** What an operator writes about a source. */
export const SOURCE_TEXT = {
  county_name: TEXT.code,
  base_url: TEXT.text,
  license: TEXT.label,
  attribution: TEXT.name,
} as const

/** Text fields of `scrape_data` by name, at any depth. `others` is for all fields that are not listed. */
export const SCRAPE_TEXT = {
  parcel_number: TEXT.id,
  owner_name: TEXT.name,
  name: TEXT.name,
  grantor: TEXT.name,
  grantee: TEXT.name,
  bill_number: TEXT.code,
  description: TEXT.text,
  document_url: TEXT.text,
  http_etag: TEXT.text,
  others: TEXT.label,
} as const

/** Maximum length of a key's name, in characters. */
export const MAX_KEY_NAME = 100

/** Maximum number of names in `owner_names_all`. */
export const MAX_OWNER_NAMES = 200

/** Each list of `scrape_data` (bills, values, sales, exemptions, buildings, owners). */
export const SCRAPE_LIST = { entries: 1_000, bytes: 128 * 1024 } as const

/** Findings of one parcel. `entries` is for each list in the evidence, `bytes` for the evidence of all findings together. */
export const FINDINGS = { most: 100, entries: 20, bytes: 128 * 1024, subject: TEXT.id, reason: TEXT.text } as const

/**
 * Maximum size of JSON columns, for the check constraints. The limits above are in bytes of JSON text; PostgreSQL's binary form of
 * a list of small numbers is up to four times as long.
 */
export const STORED_JSON_BYTES = {
  scrape_data: 4 * 1024 * 1024,
  evidence: 512 * 1024,
  accounts: 8 * 1024 * 1024,
} as const

/**
 * Maximum number of records that a crawl takes from a layer: `times` the layer's own count, plus `plus`, and never more than `most`.
 * Layers grow during a crawl, and small ones may grow a lot. `max_records` in vendor_config replaces it.
 */
export const LAYER_RECORDS = { times: 3, plus: 10_000, most: 100_000_000 } as const

/*
 * Portal responses, and boundaries in files, checked before they are parsed. Each limit is several times the largest value seen in real
 * portals and rolls, and small enough that input within all of them is read well within `READING_BOUNDS.timeMs`.
 */

/** One parcel's boundary. The largest in a real county roll have some thousands of positions and some hundreds of rings. */
export const BOUNDARY_BOUNDS = {
  ringPositions: 50_000,
  parcelPositions: 100_000,
  rings: 2_000,
  /** In a binary format. 100,000 positions in four dimensions are 3.2 MB. A larger boundary is not decoded. */
  binaryBytes: 4 * 1024 * 1024,
} as const

/** Rows of a file that are in memory together. Boundaries take about three times their bytes in the file. */
export const ROW_GROUP = { rows: 1_000, bytes: 16 * 1024 * 1024 } as const

export const PAGE_BOUNDS = {
  /** One response, decompressed. */
  bytes: 10 * 1024 * 1024,
  /** The largest page seen is below 1 MB. A page four times as large cannot be the page of one parcel. */
  htmlCharacters: 4_000_000,
  /** A page of 1 MB reaches this at 20 characters per element: hardly more than tags. */
  elements: 50_000,
  /** Browsers stop at 512. This also limits how far misnested formatting can multiply. */
  htmlDepth: 250,
  /** Cells of one table, counted once for each column and row that a cell spans. */
  tableCells: 100_000,
  /** The same as for request bodies. */
  jsonDepth: 64,
  /** A response of 2,000 features and 10 MB has 1,400,000 values: three per position. */
  jsonValues: 2_000_000,
} as const

/** The rest of the file is not read. RFC 9309, 2.5, requires "at least 500 kibibytes". */
export const ROBOTS_BOUNDS = {
  bytes: 500 * 1024,
  rules: 5_000,
} as const

/** One step of a reader: from a portal's response to the next request, or to the end. */
export const READING_BOUNDS = {
  timeMs: 5_000,
  /** Memory of the whole process, which uses about 110 MB before it reads anything. */
  memoryBytes: 512 * 1024 * 1024,
  /** Requests of one scrape. */
  requests: 50,
  /** Characters of one request. ASP.NET pages have a large state that is posted back. */
  requestCharacters: 2_000_000,
  /** Everything read about one parcel, as JSON. A boundary of 100,000 positions is 4 MB. */
  parcelCharacters: 6_000_000,
} as const

/**
 * The process that reads one file, to preview or to load it. Loads of 1,000,000 parcels use 303 MB (docs/measured.md), so a process beyond
 * these bounds is stuck in a damaged or hostile file.
 */
export const FILE_READING_BOUNDS = {
  memoryBytes: 1024 * 1024 * 1024,
  /** Processor time for one step, after which the process says that it runs. A step reads a row, or sorts those with repeated ids. */
  stepMs: 60_000,
  /** How long the process may say nothing, whatever it does. A frozen one is replaced. */
  silentMs: 180_000,
} as const

/** A program of GDAL that reads one file. It reads KML into memory: 104 MB took 1,062 MB (2026-11-28). */
export const GDAL_BOUNDS = {
  memoryBytes: 2 * 1024 ** 3,
  /** Processor time without a result. The program has converted nothing while it reads KML. */
  stepMs: 600_000,
} as const

/**
 * Cookies of one source, which it sends with each request. RFC 6265, 6.1, asks browsers for at least 50 cookies of 4,096 bytes per domain.
 */
export const COOKIE_BOUNDS = { most: 100, bytes: 4_096 } as const

/** Stored pages: all responses of one scrape of a parcel. A larger set is not stored. */
export const PAGE_SET_BOUNDS = {
  characters: 4_000_000,
  /** Size as JSON. A character takes at most six bytes, and the rest is small. */
  bytes: 32 * 1024 * 1024,
  /** Page sets that one process holds until they are stored. More are dropped. */
  waiting: 1_000,
  waitingBytes: 64 * 1024 * 1024,
} as const

/** Watches and their webhooks. */
export const WATCH_BOUNDS = {
  /** Watches of one account, or of one key without an account. */
  most: 1_000,
  /** Watches of one owner that get the same change. Otherwise 1,000 watches of a county would store each of its changes 1,000 times. */
  ofOneChange: 50,
  /** Positions of a watched polygon, in all its rings. Each is compared with the edges of parcels nearby. */
  positions: 1_000,
  /** Entries of the filter `fields`. */
  fields: 50,
  urlCharacters: 2_000,
  /** Maximum pending deliveries of one watch, about 100 MB. Further changes are skipped and counted. */
  pending: 250_000,
  /** How much of a receiver's response is read. */
  responseBytes: 4 * 1024,
} as const

/** Lists that callers send to be matched (src/matches). */
export const LIST_BOUNDS = {
  /** 100,000 rows of 160 bytes. */
  bytes: 16 * 1024 * 1024,
  rows: 100_000,
  /** Larger lists need the capability `enqueue`. */
  rowsOfReaders: 500,
  columns: 100,
  /** One row with all its columns, as JSON. */
  rowCharacters: 4_000,
  /** One value that is compared. */
  valueCharacters: TEXT.address,
  /** How many candidates of a tie the response lists. The others are counted. */
  candidates: 20,
  /** Lists that one account (or one key without an account) has uploaded, and those that it has matched or is matching. */
  most: 100,
  /** All uploaded lists of one account or key. */
  storedBytes: 512 * 1024 * 1024,
  /** How long a list and its matches are kept. */
  days: 7,
} as const

/** Files of parcels that admins upload. `UPLOADS_MAX_MB` limits their size. */
export const FILE_BOUNDS = {
  /** One part: one request. */
  partBytes: 8 * 1024 * 1024,
  nameCharacters: TEXT.label,
  /** How long a file is kept after its last part. */
  days: 2,
} as const

/**
 * Responses that are stored for one caller's Idempotency-Keys. They are counted only from time to time, so there can be a few hundred more. The
 * response for 1,000 scrapes has 120 KB, so 5,000 of them have 600 MB. A caller that sends ten requests per second can still repeat
 * those of the last eight minutes.
 */
export const MOST_IDEMPOTENCY_KEYS = 5_000

/** Messages that quote a portal or a file. Longer ones are cut. */
export const MESSAGE_CHARACTERS = 1_000

/** Characters as PostgreSQL counts them. */
export const countCharacters = (text: string): number => {
  let count = text.length
  // A surrogate pair is one character.
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) count--
  return count
}

/** The message for a text that is too long: `owner_name has 2,101 characters, more than 500`. Null when it fits. */
export const findOverlength = (text: string, most: number, name: string): string | null => {
  if (text.length <= most) return null
  const characters = countCharacters(text)
  if (characters <= most) return null
  return `${name} has ${formatCount(characters)} characters, more than ${formatCount(most)}`
}

/** Cuts a message or label. Never use it for data: half a name is another name. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`

/** A message as PostgreSQL can store it: cut, and without NUL and unpaired surrogates. */
export const toMessage = (text: string): string =>
  cutText(text.slice(0, MESSAGE_CHARACTERS + 1).replaceAll('\0', ''), MESSAGE_CHARACTERS).toWellFormed()

/** Portfolios and saved searches. `most`: of each, for one account or key. */
export const PORTFOLIO_BOUNDS = { most: 200, parcels: 2_000, tags: 20, queryCharacters: 8_000 } as const
