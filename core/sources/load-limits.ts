/**
 * The largest changes that a load or crawl of a source may make without being held, as shares of its parcels: parcels that it retires,
 * parcels whose value of one field it empties, parcels that get another owner.
 */
export interface LoadLimits {
  retired: number
  emptied: number
  owner: number
}
export const DEFAULT_LOAD_LIMITS: LoadLimits = { retired: 0.05, emptied: 0.05, owner: 0.2 }

/** A source with fewer parcels has no limits: a few of them are a large share. */
export const MIN_PARCELS_FOR_LIMITS = 20
