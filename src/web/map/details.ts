import { formatDay, formatDollars } from '../app/format'
import { parcelPath } from '../app/search/entries'
import type { Parcel } from './api'
import { byId, element } from './element'

const money = (value: number | null) => (value === null ? null : formatDollars(value))

const ROWS: [label: string, read: (parcel: Parcel) => string | null][] = [
  ['Parcel', ({ source_parcel_id }) => source_parcel_id],
  ['Source', ({ source }) => source],
  ['Owner', ({ owner_name }) => owner_name],
  ['Mailing', ({ owner_mailing_address }) => owner_mailing_address],
  ['City', ({ situs_city, situs_state, situs_zip }) => [situs_city, situs_state, situs_zip].filter(Boolean).join(' ')],
  ['Land use', ({ land_use_class }) => land_use_class],
  ['Zoning', ({ zoning_code }) => zoning_code],
  ['Acres', ({ acreage }) => (acreage === null ? null : acreage.toLocaleString('en-US', { maximumFractionDigits: 2 }))],
  ['Assessed', ({ assessed_value }) => money(assessed_value)],
  ['Land', ({ value_land }) => money(value_land)],
  ['Buildings', ({ value_improvement }) => money(value_improvement)],
  ['Updated', ({ updated_at }) => formatDay(updated_at)],
]

const show = (heading: string, body: Node, onClose: () => void): void => {
  const close = element('button', { type: 'button', 'aria-label': 'Close' }, '×')
  close.addEventListener('click', () => {
    hideDetails()
    onClose()
  })
  const panel = byId('details')
  panel.replaceChildren(element('header', {}, element('h2', {}, heading), close), body)
  panel.hidden = false
}

export const showParcel = (parcel: Parcel, onClose: () => void): void => {
  const list = element('dl')
  for (const [label, read] of ROWS) {
    const text = read(parcel)
    if (text) list.append(element('dt', {}, label), element('dd', {}, text))
  }
  const page = element('a', { href: parcelPath(parcel) }, 'Everything that is known of it')
  show(parcel.situs_address ?? parcel.source_parcel_id, element('div', {}, list, page), onClose)
}

export const showMessage = (heading: string, message: string, onClose: () => void): void =>
  show(heading, element('p', {}, message), onClose)

export const hideDetails = (): void => {
  byId('details').hidden = true
}
