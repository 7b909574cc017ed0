import type { EntityInput, ParcelInput } from '../../../drizzle/records'

/** The records of one county. A parcel's id is its `sourceParcelId`, a company's its `registryNumber`. */
export interface Records {
  parcels: readonly ParcelInput[]
  companies: readonly EntityInput[]
}

export interface Query {
  q: string
  limit: number
  /** What to search. Default: parcels. */
  kind?: 'parcels' | 'companies'
  /** The middle of the map that the user looks at. Nearer parcels should rank higher. */
  near?: { lat: number; lon: number }
}

/** A search engine under test. Implement these functions to compare your engine; see README.md. */
export interface Engine {
  /** Replaces what was loaded before. Returns when a search finds every record. */
  load: (records: Records) => Promise<void>
  /** The ids of the hits, best first. */
  search: (query: Query) => Promise<string[]>
  /** The query with its spelling corrected, as the engine reports it to the caller. Null: nothing to correct. */
  correct?: (q: string) => Promise<string | null>
  stop: () => Promise<void>
}
