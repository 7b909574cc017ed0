import { isPoBox } from '../query/address'
import { dropIdLabels, spellId } from '../query/parcel-id'
import { splitAddress } from '../query/text'
import { readAddress } from './address/street-address'
import { readOwner } from './compare-owners'
import { type ListRow, readPoint, readState, readZip, untangleRow } from './list-row'
import { countyOf, joinPlace } from './places'
import type { RowQuery } from './row-query'

/** A row of a list, normalized by the functions of search. */
export const createQuery = (written: ListRow): RowQuery => {
  const row = untangleRow(written)
  const text = `${row.address ?? ''}${row.unit === undefined || row.unit === '' ? '' : `, unit ${row.unit.replace(/^#/, '')}`}`
  const address =
    row.address === undefined || isPoBox(splitAddress(row.address))
      ? null
      : readAddress(text, row.city === undefined && row.state === undefined)
  const id = (row.parcel_id ?? '').trim().replace(/^(\d+)\.0$/, '$1')
  return {
    row,
    idSpellings: /[\p{L}\p{N}]/u.test(id) ? spellId(dropIdLabels(id) ?? id) : null,
    address,
    // An owner that looks like an address, such as "2003 Elm Plat Owners", was moved to the addresses. It is compared as both.
    owner: readOwner(row.owner ?? written.owner ?? ''),
    city: joinPlace(row.city ?? '') || (address?.city ?? ''),
    zip: (row.zip === undefined ? null : readZip(row.zip)) ?? address?.zip ?? '',
    state: (row.state === undefined ? null : readState(row.state)) ?? address?.state ?? '',
    county: countyOf(row.county ?? ''),
    source: row.source ?? '',
    point: readPoint(row),
    candidates: [],
    dropped: { parcel_id: 0, address: 0, owner: 0, point: 0 },
    seen: { id: false, street: false, number: false },
  }
}
