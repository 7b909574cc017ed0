import type { EntityHit, Hit, OwnerGroup, ParcelHit } from './results'

/** A line in the list of hits. The arrow keys move from line to line. */
export type Entry =
  | { id: string; level: 1 | 2; hit: ParcelHit; isAll?: false }
  | { id: string; level: 1; hit: EntityHit; isAll?: false }
  | { id: string; level: 1; hit: OwnerGroup; isOpen: boolean; isAll?: false }
  /** Opens all parcels of the owner. */
  | { id: string; level: 2; hit: OwnerGroup; isAll: true }

export const idOf = (hit: Hit): string => {
  if (hit.kind === 'entity') return `entity:${hit.id}`
  if (hit.kind === 'owner-group') return `owner:${hit.owner_name}`
  return `parcel:${hit.source}/${hit.source_parcel_id}`
}

/** The visible lines. The members of an owner's group are visible while the group is open. */
export const listEntries = (hits: readonly Hit[], open: ReadonlySet<string>): Entry[] => {
  const entries = hits.flatMap((hit): Entry[] => {
    const id = idOf(hit)
    if (hit.kind === 'parcel') return [{ id, level: 1, hit }]
    if (hit.kind === 'entity') return [{ id, level: 1, hit }]
    const isOpen = open.has(id)
    const members = hit.members.map((member): Entry => ({ id: idOf(member), level: 2, hit: member }))
    const all: Entry = { id: `all:${hit.owner_name}`, level: 2, hit, isAll: true }
    return [{ id, level: 1, hit, isOpen }, ...(isOpen ? [...members, all] : [])]
  })
  // An owner who is found again on a later page is listed once.
  return [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()].toReversed()
}

export const companyPath = ({ id }: { id: string }): string => `/app/companies/${encodeURIComponent(id)}`

export const parcelPath = ({ source, source_parcel_id }: { source: string; source_parcel_id: string }): string =>
  `/app/parcels/${encodeURIComponent(source)}/${encodeURIComponent(source_parcel_id)}`
