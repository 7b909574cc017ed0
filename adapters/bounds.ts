/*
 * How large the answer of a portal may be before anybody tries to understand it: one table for every reader, and for the boundaries
 * in files too. Each bound is several times the largest seen in real portals and rolls, and small enough that what is within all of
 * them is read well within `READING_BOUNDS.timeMs`.
 */

/** Of one parcel's boundary. The largest of a real county's roll have some thousands of positions, and some hundreds of rings. */
export const BOUNDARY_BOUNDS = {
  ringPositions: 50_000,
  parcelPositions: 100_000,
  rings: 2_000,
} as const

export const PAGE_BOUNDS = {
  /** Of one answer, unpacked. */
  bytes: 10 * 1024 * 1024,
  /** The largest page that was seen is below 1 MB; four times as much is another thing than a page of one parcel. */
  htmlCharacters: 4_000_000,
  /** A page of 1 MB has as many when it spends 20 characters on each: hardly more than tags. */
  elements: 50_000,
  /** Browsers stop at 512. It also bounds what misnested formatting can multiply. */
  htmlDepth: 250,
  /** Of one table, counted once for each column and row that a cell spans. */
  tableCells: 100_000,
  /** As in requests' bodies. */
  jsonDepth: 64,
  /** 10 MB of a layer's features, 2,000 at once, have 1,400,000: three for each position. */
  jsonValues: 2_000_000,
} as const

/** Whatever comes after it is not read, as RFC 9309 allows in 2.5: "at least 500 kibibytes". */
export const ROBOTS_BOUNDS = {
  bytes: 500 * 1024,
  rules: 5_000,
} as const

/** For one turn of a reader: from an answer of a portal to the next request, or to the end. */
export const READING_BOUNDS = {
  timeMs: 5_000,
  /** Of the whole process, which has some 110 MB before it has read anything. */
  memoryBytes: 512 * 1024 * 1024,
  /** Of one scrape. */
  requests: 50,
  /** Of one request: ASP.NET's pages have a state that is sent back. */
  requestCharacters: 2_000_000,
  /** Of all that is read of one parcel, as JSON. A boundary of 100,000 positions is 4 MB. */
  parcelCharacters: 6_000_000,
} as const
