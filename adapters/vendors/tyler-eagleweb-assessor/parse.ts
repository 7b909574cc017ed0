import type { ParcelFields, RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { readPage } from '../../reading/page/read-page'
import { noteWarning } from '../../reading/page/reading-report'
import type { Region } from '../../reading/region'
import { asOf, stampOf } from '../../reading/stamp'
import { wordsOf } from '../../reading/text'
import {
  present,
  readAcres,
  readAddress,
  readCityStateZip,
  readCount,
  readMoney,
  readName,
  readText,
  readYear,
} from '../../reading/values'
import type { Improvement, Scrape, Valuation } from '../../scrape'
import { ScrapeError } from '../../scrape-error'
import { findAccountInLinks } from '../../sessions/eagleweb'
import type { Config } from './config'

/** An account's page, with its land and residential pages if there are any. */
export const parseAccount = (documents: readonly RawDocument[], _target: ScrapeTarget, config: Config): ReadParcel => {
  const page = readPage(documents, 'account')
  const document = documentNamed(documents, 'account')
  const parcelNumber = page.getAfter('Parcel Number').join(' ')
  const account = findAccountInLinks(page, 'accountNum')
  if (account === undefined) throw new ScrapeError('page_changed', 'no link to "account.jsp" on the account page')

  const owners = page.getAfter('Owner Name').flatMap((line) => readName(line) ?? [])
  const [owner] = owners
  const actual = findActual(page)
  const assessed = config.assessed_value === undefined ? undefined : getAmount(page, config.assessed_value)
  return {
    shownIds: [config.parcel_id === 'parcel' ? parcelNumber : account],
    fields: present<ParcelFields>({
      ...readPlace(page),
      ownerName: owner,
      ownerNamesAll: owner === undefined ? undefined : owners,
      ownerMailingAddress: readAddress(page.getAfter('Owner Address')),
      acreage: readAcreage(page, documents),
      assessedValue: assessed,
    }),
    scrape: {
      parcel_number: parcelNumber === '' ? account : parcelNumber,
      ...stampOf(document),
      ...asOf(document, { years: [actual?.year] }),
      ...present<Omit<Scrape, 'parcel_number' | 'fetched_at'>>({
        owner_name: owner,
        owners: owner === undefined ? undefined : owners.map((name) => ({ name })),
        valuation_history: actual && [assessed === undefined ? actual : { ...actual, assessed }],
        improvements: readHouse(documents),
      }),
    },
  }
}

const readPlace = (page: Region): ParcelFields => {
  const lines = page.getAfter('Situs Address')
  const { city, state, zip } = readCityStateZip(lines.length > 1 ? lines.at(-1) : undefined)
  return present<ParcelFields>({ situsAddress: readText(lines[0]), situsCity: city, situsState: state, situsZip: zip })
}

/** `<td><b>Actual</b> (2026)</td><td>$658,180</td>`: the only year on the page. Arizona's page has other labels and no year. */
const findActual = (page: Region): Valuation | undefined => {
  const cells = page.all('td')
  const label = getOnly(cells.filter(({ text }) => /^Actual \(\d{4}\)$/i.test(text)))
  if (label === undefined && cells.some(({ text }) => /^(?:Non-)?School Assessed\b/i.test(text))) {
    throw new ScrapeError('page_changed', `no "Actual" on the ${page.name} page, which has assessed values`)
  }
  const year = readYear(/\((\d{4})\)/.exec(label?.text ?? '')?.[1])
  const total = readMoney(label?.findNext('td')?.text)
  return year === undefined || total === undefined ? undefined : { year, total }
}

/** The first of these labels. @throws ScrapeError `page_changed` when they have different amounts beside them */
const getOnly = ([label, ...others]: readonly Region[]): Region | undefined => {
  const amount = label?.findNext('td')?.text
  if (others.some((other) => other.text !== label?.text || other.findNext('td')?.text !== amount)) {
    throw new ScrapeError('page_changed', `several amounts beside "${label?.text}" on the account page`)
  }
  return label
}

/** The amount beside its label, whose cell may hold the year too. */
const getAmount = (page: Region, label: string): number | undefined => {
  const isLabel = ({ shortText = '' }: Region) => wordsOf(shortText.replace(/\(\d{4}\)$/, '')) === wordsOf(label)
  const cell = getOnly(page.all('td').filter(isLabel))
  if (cell === undefined) throw new ScrapeError('page_changed', `no "${label}" on the ${page.name} page`)
  return readMoney(cell.findNext('td')?.text)
}

/** Arizona shows it on the summary, Colorado on the land page, one row per abstract. */
const readAcreage = (page: Region, documents: readonly RawDocument[]): number | undefined => {
  const size = page.findAfter('Parcel Size')?.join(' ')
  // Without a unit it may be square feet.
  if (size !== undefined && /acre/i.test(size)) return readAcres(size)
  if (!documents.some(({ name }) => name === 'land')) return undefined
  const { rows } = readPage(documents, 'land').getTable(['Abstract Code', 'Acres'])
  // A row without a code may be the sum of the others.
  const acres = rows.map((row) =>
    readText(row.text('Abstract Code')) === undefined ? undefined : readAcres(row.text('Acres')),
  )
  // A partial sum would not be the parcel's acreage.
  if (acres.length === 0 || !acres.every((part) => part !== undefined)) return undefined
  return Number(acres.reduce((total, part) => total + part, 0).toFixed(4))
}

/** The house: its page lists labels with the value right below each. Undefined, with a warning, when there may be several. */
const readHouse = (documents: readonly RawDocument[]): Improvement[] | undefined => {
  if (!documents.some(({ name }) => name === 'residential')) return undefined
  const page = readPage(documents, 'residential')
  const field = (label: string) => {
    const labels = page.all('span.fieldLabel')
    const found = labels.find(({ text }) => wordsOf(text) === wordsOf(label))
    // A line break may separate them.
    return (found?.findNext('span.field') ?? found?.findNext('br')?.findNext('span.field'))?.text
  }
  if (page.find('span.fieldLabel') === undefined) {
    throw new ScrapeError('page_changed', 'no "fieldLabel" on the residential page')
  }
  const words = page.all('span.fieldLabel').map(({ text }) => wordsOf(text))
  if (new Set(words).size < words.length) {
    noteWarning('labels are on the residential page several times, so the house was left out')
    return undefined
  }
  const house = present<Improvement>({
    type: readText(field('Type')),
    description: readText(field('Design')),
    year_built: readYear(field('Year Built')),
    bedrooms: readCount(field('Bedrooms')),
    bathrooms: readCount(field('Baths')),
  })
  return Object.keys(house).length === 0 ? [] : [house]
}
