import type { MatchParcelRow } from '../../drizzle/queries/matches/match-parcels'
import { shortenZip } from '../query/address'
import { spellId } from '../query/parcel-id'
import { readAddress, type StreetAddress } from './address/street-address'
import { type OwnerName, readOwner } from './compare-owners'
import { countyOf } from './places'
import { remember } from './remember'

/** A parcel in the form that is compared. */
export interface ReadParcel {
  listed: MatchParcelRow
  address: StreetAddress | null
  /** Its source and city, to distinguish streets with the same name. */
  place: string
  city: string
  zip: string
  state: string
  county: string
  idSpellings: () => readonly [string, string, string]
  owner: () => OwnerName | null
}

const once = <Value>(read: () => Value): (() => Value) => {
  let value: { of: Value } | null = null
  return () => {
    value ??= { of: read() }
    return value.of
  }
}

const joinPlaceOnce = remember((text) => countyOf(text))

export const readParcel = (listed: MatchParcelRow): ReadParcel => {
  const { situsAddress, situsCity, situsZip, situsState, state, countyName, ownerName, sourceParcelId } = listed
  const address = situsAddress === null ? null : readAddress(situsAddress, false)
  const city = situsCity === null ? '' : joinPlaceOnce(situsCity)
  return {
    listed,
    address,
    place: `${listed.source}|${city}`,
    city,
    zip: (situsZip === null ? null : shortenZip(situsZip)) ?? address?.zip ?? '',
    state: situsState?.length === 2 ? situsState.toUpperCase() : state,
    county: joinPlaceOnce(countyName),
    idSpellings: once(() => spellId(sourceParcelId)),
    owner: once(() => (ownerName === null ? null : readOwner(ownerName))),
  }
}
