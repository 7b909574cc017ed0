import type { MultiPolygon } from 'geojson'
import { bboxOf } from '../../core/geometry/bbox'
import type { EntityInput, ParcelInput } from '../../drizzle/records'
import { appraise, chooseUse, divideBlock, LAND_USES, type LandUse, type Use } from './land-uses'
import { acresOf, type Block, type Cells, LotMesh, planTownship, type Site, siteOf } from './lots'
import { companyName, drawOwners, drawPerson } from './names'
import { Random } from './random'
import { nameStreets, nextNumber, type StreetNames, townName, writeAddress } from './streets'

export const SAMPLE_JURISDICTION = 'OR'

/** The row of `sources` that the sample parcels belong to. Oregon has no Larkspur County. */
export const SAMPLE_SOURCE = {
  source: 'sample-county',
  state: SAMPLE_JURISDICTION,
  county_name: 'Larkspur',
  vendor: 'fixture',
  base_url: 'https://larkspur-county.example/assessor',
  active: false,
}

/** The middle of Oregon's high desert. Townships spiral around it; 2,000 of them, ten million parcels, fit within the state. */
const COUNTY_SEAT = [-120.5, 43.9]
const MAX_TOWNS = 2_000
/** The prefix of the ids of the first town's parcels. */
const FIRST_TOWN = 12
export const MAX_SAMPLE_PARCELS = 10_000_000
/** The share of a lot's length and width that an enclave takes from its middle. */
const ENCLAVE_SIDE = 0.16
/** A township has about 5,000 parcels; this many companies are at home in it. */
const COMPANIES_PER_TOWN = 300
/** The seed of the sample county. */
const SEED = 1

interface Town {
  index: number
  name: string
  /** The part of an address after the street. */
  lastLine: string
  zip: string
  site: Site
  streets: StreetNames
  priceLevel: number
}

/**
 * Parcels of an invented county, in any number: the same seed gives the same parcels, and a larger county begins with
 * the parcels of a smaller one. Nothing is cached. Geometries share positions, so do not modify them.
 */
export function* sampleParcels({ parcels, seed = SEED }: { parcels: number; seed?: number }): Generator<ParcelInput> {
  const plan = planTownship()
  let left = parcels
  for (let index = 0; left > 0; index++) {
    const town = foundTown(seed, index)
    for (const block of plan) {
      for (const parcel of settleBlock(town, block, new Random(seed, index, block.id))) {
        if (left-- <= 0) return
        yield parcel
      }
    }
  }
}

/** Finds the parcel of `sampleParcels` with this id in a county of any size; null when there is none. It generates only the parcel's block. */
export const findSampleParcel = (sourceParcelId: string): ParcelInput | null => {
  const id = /^(?<town>\d{2,4})-(?<block>\d{4})-\d{4}$/.exec(sourceParcelId)?.groups
  const index = Number(id?.town) - FIRST_TOWN
  const block = planTownship().find((candidate) => candidate.id === Number(id?.block))
  if (!(index >= 0 && index < MAX_TOWNS) || block === undefined) return null
  const parcels = settleBlock(foundTown(SEED, index), block, new Random(SEED, index, block.id))
  return parcels.find((parcel) => parcel.sourceParcelId === sourceParcelId) ?? null
}

/** Companies. The first of them own many of the parcels of `sampleParcels`. */
export function* sampleEntities({ entities }: { entities: number }): Generator<EntityInput> {
  for (let index = 0; index < entities; index++) {
    const random = new Random(SEED, -1, index)
    const name = companyName(index)
    yield {
      registryNumber: String(1_000_003 + index * 17),
      name,
      entityType: /L\.? ?L\.? ?C\.?$|LIABILITY CO$/.test(name)
        ? 'Domestic limited liability company'
        : / LL?P$/.test(name)
          ? 'Domestic limited partnership'
          : 'Domestic business corporation',
      status: random.chance(0.86) ? 'Active' : random.pick(['Inactive', 'Dissolved']),
      registeredAgentName: random.chance(0.15) ? 'CASCADE REGISTERED AGENTS INC' : drawPerson(random),
    }
  }
}

const foundTown = (seed: number, index: number): Town => {
  const random = new Random(seed, index)
  const name = townName(index)
  const zip = String(97_600 + (index % 400))
  return {
    index,
    name,
    zip,
    lastLine: `${name} OR ${zip}`,
    site: siteOf(index, COUNTY_SEAT, random),
    streets: nameStreets(random),
    priceLevel: random.between(0.8, 1.3),
  }
}

const settleBlock = (town: Town, block: Block, random: Random): ParcelInput[] => {
  const use = chooseUse(block, random)
  const landUse: LandUse = LAND_USES[use]
  const division = divideBlock(block, landUse, random)
  const mesh = new LotMesh(town.site, block, division, random)
  const parcels: ParcelInput[] = []
  const record = (lotUse: Use, geom: MultiPolygon, address: string) => {
    const lot = fourDigits(10 * (parcels.length + 1))
    const sourceParcelId = `${FIRST_TOWN + town.index}-${fourDigits(block.id)}-${lot}`
    parcels.push({ sourceParcelId, ...describeLot(town, lotUse, geom, address, random) })
  }
  for (const cells of divideCells(division.columns, landUse, random)) {
    const geom = mesh.lot(cells)
    const frontage = mesh.frontage(cells)
    const within = random.chance(landUse.lots.enclave) ? mesh.enclave(cells, geom, ENCLAVE_SIDE) : null
    if (use === 'condominiums') {
      const building = mesh.frontage({ ...cells, from: 0, to: division.columns })
      record(use, geom, `${writeAddress(town.streets, building)} UNIT ${cells.from + 1}`)
    } else {
      record(use, geom, writeAddress(town.streets, frontage))
    }
    // A home that was split off from its farm, a well or a substation. It has the next number.
    if (within !== null) {
      record(use === 'farm' ? 'acreage' : 'civic', within, writeAddress(town.streets, nextNumber(frontage)))
    }
  }
  return parcels
}

const divideCells = (columns: number, { lots }: LandUse, random: Random): Cells[] => {
  const all: Cells[] = []
  for (let from = 0; from < columns; ) {
    if (random.chance(lots.through)) {
      all.push({ from, to: ++from, row: 'both' })
      continue
    }
    const span = from + 1 < columns && random.chance(2 * lots.wide) ? 2 : 1
    for (const row of [0, 1] as const) {
      if (span === 2 && random.chance(0.5)) all.push({ from, to: from + 1, row }, { from: from + 1, to: from + 2, row })
      else all.push({ from, to: from + span, row })
    }
    from += span
  }
  return all
}

const describeLot = (town: Town, use: Use, geom: MultiPolygon, address: string, random: Random) => {
  const landUse: LandUse = LAND_USES[use]
  const acreage = acresOf(geom, town.site)
  const { vacant, valueLand, valueImprovement, assessedValue } = appraise(landUse, acreage, town.priceLevel, random)
  const isAgricultural = use === 'farm'
  // Bare land outside town has no address.
  const situsAddress = vacant && (isAgricultural || use === 'acreage') ? null : address
  const { name, all, mail } = drawOwner(town, landUse, situsAddress, random)
  return {
    geom,
    bbox: bboxOf(geom),
    acreage,
    ownerName: name,
    ownerNamesAll: all,
    ownerMailingAddress: mail,
    situsAddress,
    situsCity: town.name,
    situsState: SAMPLE_SOURCE.state,
    situsZip: town.zip,
    landUseClass: vacant && !isAgricultural ? 'Vacant land' : landUse.landUseClass,
    zoningCode: landUse.zoning[0],
    zoningDescription: landUse.zoning[1],
    isAgricultural,
    assessedValue,
    valueLand,
    valueImprovement,
  }
}

const CITIES_AWAY = [
  'PORTLAND OR 97205',
  'BEND OR 97701',
  'EUGENE OR 97401',
  'BOISE ID 83702',
  'SEATTLE WA 98101',
  'RENO NV 89501',
]

const drawOwner = (town: Town, { owner }: LandUse, situsAddress: string | null, random: Random) => {
  if (owner === 'public') {
    const name = random.pick([
      `CITY OF ${town.name}`,
      `CITY OF ${town.name}`,
      'LARKSPUR COUNTY',
      `${town.name} SCHOOL DISTRICT`,
    ])
    return { name, all: [name], mail: `100 E MAIN ST, ${town.lastLine}` }
  }
  if (random.chance(owner.company)) {
    // A town's first companies own the most.
    const company = COMPANIES_PER_TOWN * town.index + Math.floor(COMPANIES_PER_TOWN * random.next() ** 2)
    const name = companyName(company)
    return { name, all: [name], mail: `PO BOX ${100 + (company % 9000)}, ${town.lastLine}` }
  }
  return { ...drawOwners(random), mail: drawMailingAddress(town, situsAddress, random) }
}

/** Most owners live on their land. */
const drawMailingAddress = (town: Town, situsAddress: string | null, random: Random): string => {
  const way = random.next()
  if (situsAddress !== null && way < 0.76) return `${situsAddress}, ${town.lastLine}`
  if (way < 0.86) return `PO BOX ${1 + random.below(2400)}, ${town.lastLine}`
  const home = `${100 + random.below(2400)} ${random.pick(random.chance(0.5) ? town.streets.street : town.streets.avenue)}`
  return `${home}, ${way < 0.95 ? town.lastLine : random.pick(CITIES_AWAY)}`
}

const fourDigits = (value: number): string => String(value).padStart(4, '0')
