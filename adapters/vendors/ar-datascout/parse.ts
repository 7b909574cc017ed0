import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readAddress,
  readCityStateZip,
  readMoney,
  readName,
  readText,
  readYear,
} from '../../reading/values'
import type { Scrape } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'

/** A parcel's page: each tab is a block, and the Basic tab has pairs of label and value. */
export const parseParcel = (
  documents: readonly RawDocument[],
  target: ScrapeTarget,
  { labels, values, year_built }: Config,
): ReadParcel => {
  const page = readPage(documents, 'parcel')
  const document = documentNamed(documents, 'parcel')
  if (page.find('#Basic') === undefined && page.says('Nothing matching')) {
    throw new ScrapeError('not_found', `the portal knows no parcel "${target.sourceParcelId}"`)
  }
  const basic = page.get('#Basic', 'Basic')
  const parcelNumber = basic.getBeside('Parcel Number:').text

  const shown = (label: string | null) => (label === null ? undefined : basic.getBeside(label))
  const ownership = shown(labels.owner)?.lines ?? []
  const owner = readName(ownership[0])
  return {
    shownIds: [parcelNumber],
    fields: present<ParcelFields>({
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : [owner],
      ownerMailingAddress: readMailingAddress(ownership),
      ...readPlace(shown(labels.address)?.lines ?? []),
      acreage: readAcres(shown(labels.acres)?.text),
      ...readValues(page, values),
    }),
    scrape: {
      parcel_number: parcelNumber,
      ...stampOf(document),
      ...asOf(document, {}),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : [{ name: owner }],
        improvements: year_built === undefined ? undefined : readBuilding(page, year_built),
      }),
    },
  }
}

/** Name, street, city. If there are other lines, names cannot be distinguished from address lines. */
const readMailingAddress = (ownership: readonly string[]): string | undefined =>
  ownership.length === 3 && readCityStateZip(ownership[2]).zip !== undefined
    ? readAddress(ownership.slice(1))
    : undefined

/** A link to a map is in the same cell. */
const readPlace = (lines: readonly string[]): ParcelFields => {
  const address = lines.flatMap((line) => readText(line.replace(/\s*Map This Address$/i, '')) ?? [])
  const { city, state, zip } = readCityStateZip(address.length > 1 ? address.at(-1) : undefined)
  return present<ParcelFields>({ situsAddress: address[0], situsCity: city, situsState: state, situsZip: zip })
}

const readValues = (page: Region, { land, improvement, total }: Config['values']): ParcelFields => {
  const tab = page.get('#Valuation', 'Valuation')
  const columns = tab.getCells('Entry', 2).map(({ text }) => wordsOf(text))
  const value = (label: string | undefined, column: 'appraised' | 'assessed') => {
    if (label === undefined) return undefined
    const position = columns.indexOf(column)
    if (position === -1) throw new ScrapeError('page_changed', `no heading "${column}" under "Valuation"`)
    return readMoney(tab.getCells(label, 2)[position]?.text)
  }
  return present<ParcelFields>({
    valueLand: value(land, 'appraised'),
    valueImprovement: value(improvement, 'appraised'),
    assessedValue: value(total, 'assessed'),
  })
}

/** The only building: it is not known how to tell several apart. */
const readBuilding = (page: Region, label: string): Scrape['improvements'] => {
  const built = readYear(page.get('#Improvements', 'Improvements').findOnlyBeside(label)?.text)
  return built === undefined ? undefined : [{ year_built: built }]
}
