import type { Exemption, Improvement, Sale, Scrape, Statement, Valuation } from '../../adapters/scrape'
import type { ParcelInput } from '../../drizzle/records'
import { drawPerson } from './names'
import { Random } from './random'

/** What a portal would show about a sample parcel in addition to its seeded fields. */
export type SampleHistory = Required<
  Pick<Scrape, 'statements' | 'valuation_history' | 'sale_history' | 'exemptions' | 'improvements'>
> & {
  /** The date of the portal's data. */
  updatedOn: string
}

const TAX_RATE = 0.0112
const YEARS_OF_VALUES = 5
const YEARS_OF_BILLS = 3
/** Months count from 0. Oregon's bills are sent in October and due in mid-November. */
const BILLING_MONTH = 9

interface Facts {
  parcel: ParcelInput
  /** A random generator per topic, so that draws for one topic do not change the others. */
  random: (topic: number) => Random
  today: Date
  year: number
  /** The roll's values of another year. */
  valueIn: (year: number) => { land: number; improvement: number }
  owner: string
  isPublic: boolean
}

/**
 * The invented history of a sample parcel, consistent with its seeded fields: the newest values are its own, the last buyer is its
 * owner. The same parcel always has the same history; the years up to `today` add bills and values. A few parcels have
 * something for the review engine to find: an unpaid bill, a jump in value, a sale price far from the value, an exemption without a home.
 */
export const sampleHistory = (parcel: ParcelInput, today: Date): SampleHistory => {
  const facts = collectFacts(parcel, today)
  return {
    statements: billTaxes(facts),
    valuation_history: listValuations(facts),
    sale_history: drawSales(facts),
    exemptions: grantExemptions(facts),
    improvements: describeBuildings(facts),
    updatedOn: drawUpdate(facts),
  }
}

const collectFacts = (parcel: ParcelInput, today: Date): Facts => {
  const [town = 0, block = 0, lot = 0] = parcel.sourceParcelId.split('-').map(Number)
  const random = (topic: number) => new Random(town, block, lot, topic)
  const year = today.getUTCFullYear()
  const drawn = random(0)
  const growth = drawn.between(1.005, 1.05)
  const leap = drawn.chance(0.06) ? drawn.between(1.3, 2.4) : 1
  const inYear = (value: number, past: number) =>
    past <= 0 ? value : Math.round(value / growth ** past / leap / 10) * 10
  return {
    parcel,
    random,
    today,
    year,
    valueIn: (then) => ({
      land: inYear(parcel.valueLand ?? 0, year - then),
      improvement: inYear(parcel.valueImprovement ?? 0, year - then),
    }),
    owner: parcel.ownerName ?? '',
    isPublic: parcel.landUseClass === 'Park' || parcel.landUseClass === 'Public facility',
  }
}

const listValuations = ({ random, valueIn, year }: Facts): Valuation[] => {
  // A part of the value that the portal does not show, such as machinery.
  const unseen = random(1).chance(0.015) ? 2_500 : 0
  return Array.from({ length: YEARS_OF_VALUES }, (_, past) => {
    const { land, improvement } = valueIn(year - past)
    const total = land + improvement
    return { year: year - past, land, improvement, total: past === 0 ? total + unseen : total, assessed: total }
  })
}

const billTaxes = ({ random, valueIn, year, today, isPublic }: Facts): Statement[] => {
  if (isPublic) return []
  const newest = today.getUTCMonth() >= BILLING_MONTH ? year : year - 1
  return Array.from({ length: YEARS_OF_BILLS }, (_, past): Statement => {
    const taxYear = newest - past
    const drawn = random(10_000 + taxYear)
    const { land, improvement } = valueIn(taxYear)
    const billed = Math.round((land + improvement) * TAX_RATE)
    const due_on = `${taxYear}-11-15`
    const bill = {
      tax_year: taxYear,
      bill_number: `${taxYear}-${twoDigits(drawn.below(100))}${drawn.below(9_000) + 1_000}`,
    }
    const isDue = due_on < today.toISOString().slice(0, 10)
    const way = drawn.next()
    if (!isDue) return { ...bill, billed, paid: 0, due: billed, due_on, status: 'unpaid' }
    if (past < 2 && way < 0.025) return { ...bill, billed, paid: 0, due: billed, due_on, status: 'delinquent' }
    if (past === 0 && way < 0.05) {
      const paid = Math.round(billed / 3)
      return {
        ...bill,
        billed,
        paid,
        due: billed - paid,
        due_on,
        paid_on: dayIn(taxYear, 11, drawn, 14),
        status: 'partial',
      }
    }
    return { ...bill, billed, paid: billed, due: 0, due_on, paid_on: dayIn(taxYear, 11, drawn, 14), status: 'paid' }
  })
}

const drawSales = ({ random, valueIn, year, owner, isPublic }: Facts): Sale[] => {
  const drawn = random(2)
  if (isPublic) return []
  const sales: Sale[] = []
  let grantee = owner
  for (let soldIn = year - 1 - drawn.below(30); sales.length < 3 && soldIn > year - 25; soldIn -= 2 + drawn.below(9)) {
    const { land, improvement } = valueIn(soldIn)
    const market = (land + improvement) * drawn.between(0.85, 1.2)
    const way = drawn.next()
    const price = way < 0.04 ? market * 2.7 : way < 0.08 ? market * 0.35 : market
    const isQuit = way > 0.92
    const grantor = drawPerson(drawn)
    sales.push({
      sold_on: dayIn(soldIn, 1 + drawn.below(12), drawn),
      price: isQuit ? 0 : Math.round(price / 500) * 500,
      deed_type: isQuit ? 'QUITCLAIM DEED' : drawn.chance(0.7) ? 'WARRANTY DEED' : 'BARGAIN AND SALE DEED',
      grantor,
      grantee,
      document_number: `${soldIn}-${drawn.below(90_000) + 10_000}`,
    })
    grantee = grantor
  }
  return sales
}

const HOMES = ['Residential', 'Condominium', 'Rural residential']

const grantExemptions = ({ parcel, random, year, isPublic }: Facts): Exemption[] => {
  const drawn = random(3)
  const { situsAddress, ownerMailingAddress, landUseClass, isAgricultural } = parcel
  if (isPublic) return [{ code: 'GOV', description: 'PUBLIC PROPERTY', year }]
  const exemptions: Exemption[] = []
  const isOwnerOccupied = situsAddress != null && ownerMailingAddress?.startsWith(`${situsAddress},`) === true
  // Some owners move away and do not report it.
  if (HOMES.includes(landUseClass ?? '') && drawn.chance(isOwnerOccupied ? 0.6 : 0.08)) {
    exemptions.push({ code: 'HS', description: 'HOMESTEAD', amount: 25_000, year })
    if (drawn.chance(0.06)) exemptions.push({ code: 'VET', description: 'DISABLED VETERAN', amount: 31_500, year })
  }
  if (isAgricultural === true) exemptions.push({ code: 'EFU', description: 'FARM USE', year })
  return exemptions
}

const BUILDINGS: Readonly<Record<string, string>> = {
  Residential: 'DWELLING',
  Condominium: 'CONDOMINIUM UNIT',
  Multifamily: 'APARTMENT BUILDING',
  Commercial: 'STORE',
  Industrial: 'WAREHOUSE',
  Park: 'SHELTER',
  'Public facility': 'OFFICE',
  'Rural residential': 'DWELLING',
  Farm: 'FARM HOUSE',
}

const describeBuildings = ({ parcel, random, year }: Facts): Improvement[] => {
  const drawn = random(4)
  const value = parcel.valueImprovement ?? 0
  const isForgotten = value === 0 && drawn.chance(0.04)
  if (value === 0 && !isForgotten) return []
  const type = BUILDINGS[parcel.landUseClass ?? ''] ?? 'DWELLING'
  const isHome = type === 'DWELLING' || type === 'CONDOMINIUM UNIT' || type === 'FARM HOUSE'
  const garage = isHome && value > 0 && drawn.chance(0.5) ? Math.round(value * 0.01) * 10 : 0
  const built = Math.round(year - 4 - 110 * drawn.next() ** 2)
  const main: Improvement = {
    number: '1',
    type,
    year_built: built,
    living_area_sq_ft: Math.round((isForgotten ? 900 : value / drawn.between(140, 260)) / 2) * 2,
    ...(isHome ? { bedrooms: 1 + drawn.below(4), bathrooms: 1 + drawn.below(4) / 2 } : {}),
    ...(isForgotten ? {} : { value: value - garage }),
  }
  return garage === 0 ? [main] : [main, { number: '2', type: 'GARAGE', year_built: built, value: garage }]
}

/** The roll is published every quarter; a few pages have not been updated for years. */
const drawUpdate = ({ random, today, year }: Facts): string =>
  random(5).chance(0.02)
    ? `${year - 5}-04-01`
    : `${year}-${twoDigits(today.getUTCMonth() - (today.getUTCMonth() % 3) + 1)}-01`

const dayIn = (year: number, month: number, random: Random, days = 28): string =>
  `${year}-${twoDigits(month)}-${twoDigits(1 + random.below(days))}`

const twoDigits = (value: number): string => String(value).padStart(2, '0')
