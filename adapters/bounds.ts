/*
 * Limits on the size of portal responses, checked before they are parsed: one table for every reader, and for the boundaries
 * in files too. Each limit is several times the largest value seen in real portals and rolls, and small enough that input within all of
 * them is read well within `READING_BOUNDS.timeMs`.
 */

/** One parcel's boundary. The largest in a real county roll have some thousands of positions and some hundreds of rings. */
export const BOUNDARY_BOUNDS = {
  ringPositions: 50_000,
  parcelPositions: 100_000,
  rings: 2_000,
} as const

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
