import { type Block, type Division, FARM_RING, TOWN_RING } from './lots'
import type { Random } from './random'

/** A block's use and its consequences. Fractions are probabilities, or shares of the block's lots. */
export interface LandUse {
  landUseClass: string
  zoning: [code: string, description: string]
  /** `through`: share of columns that are one lot from street to street; `wide`: share of the other lots that span two columns. */
  lots: { columns: [least: number, most: number]; through: number; wide: number; alley: number; enclave: number }
  /** Dollars per lot, per acre, and for buildings. */
  worth: { lot: number; acre: number; building: [least: number, most: number]; vacant: number }
  /** `company`: the share owned by companies, the rest is owned by people; `public`: owned by the city, the county or a district. */
  owner: 'public' | { company: number }
}

export const LAND_USES = {
  homes: {
    landUseClass: 'Residential',
    zoning: ['R-1', 'Low density residential'],
    lots: { columns: [8, 11], through: 0.03, wide: 0.06, alley: 0.5, enclave: 0 },
    worth: { lot: 55_000, acre: 160_000, building: [90_000, 420_000], vacant: 0.05 },
    owner: { company: 0.05 },
  },
  duplexes: {
    landUseClass: 'Residential',
    zoning: ['R-2', 'Medium density residential'],
    lots: { columns: [9, 12], through: 0.02, wide: 0.08, alley: 0.5, enclave: 0 },
    worth: { lot: 48_000, acre: 190_000, building: [110_000, 310_000], vacant: 0.03 },
    owner: { company: 0.12 },
  },
  condominiums: {
    landUseClass: 'Condominium',
    zoning: ['R-3', 'High density residential'],
    lots: { columns: [12, 14], through: 0, wide: 0, alley: 0.5, enclave: 0 },
    worth: { lot: 40_000, acre: 150_000, building: [120_000, 290_000], vacant: 0 },
    owner: { company: 0.2 },
  },
  apartments: {
    landUseClass: 'Multifamily',
    zoning: ['R-3', 'High density residential'],
    lots: { columns: [2, 4], through: 0.3, wide: 0, alley: 0.3, enclave: 0 },
    worth: { lot: 150_000, acre: 350_000, building: [600_000, 6_000_000], vacant: 0.02 },
    owner: { company: 0.6 },
  },
  shops: {
    landUseClass: 'Commercial',
    zoning: ['C-1', 'Central business district'],
    lots: { columns: [5, 9], through: 0.1, wide: 0.2, alley: 0.6, enclave: 0 },
    worth: { lot: 90_000, acre: 500_000, building: [120_000, 1_900_000], vacant: 0.06 },
    owner: { company: 0.7 },
  },
  industry: {
    landUseClass: 'Industrial',
    zoning: ['M-1', 'Light industrial'],
    lots: { columns: [1, 3], through: 0.5, wide: 0.3, alley: 0, enclave: 0.08 },
    worth: { lot: 120_000, acre: 180_000, building: [150_000, 3_500_000], vacant: 0.12 },
    owner: { company: 0.85 },
  },
  park: {
    landUseClass: 'Park',
    zoning: ['P', 'Parks and open space'],
    lots: { columns: [1, 2], through: 1, wide: 0, alley: 0, enclave: 0.35 },
    worth: { lot: 30_000, acre: 40_000, building: [5_000, 60_000], vacant: 0 },
    owner: 'public',
  },
  civic: {
    landUseClass: 'Public facility',
    zoning: ['PF', 'Public facilities'],
    lots: { columns: [1, 3], through: 0.8, wide: 0, alley: 0.4, enclave: 0 },
    worth: { lot: 80_000, acre: 120_000, building: [400_000, 5_000_000], vacant: 0 },
    owner: 'public',
  },
  acreage: {
    landUseClass: 'Rural residential',
    zoning: ['RR-2', 'Rural residential, 2 acres'],
    lots: { columns: [5, 7], through: 0.1, wide: 0.12, alley: 0, enclave: 0.01 },
    worth: { lot: 60_000, acre: 16_000, building: [110_000, 620_000], vacant: 0.14 },
    owner: { company: 0.06 },
  },
  farm: {
    landUseClass: 'Farm',
    zoning: ['EFU', 'Exclusive farm use'],
    lots: { columns: [1, 3], through: 0.4, wide: 0.2, alley: 0.2, enclave: 0.15 },
    worth: { lot: 8_000, acre: 2_600, building: [20_000, 380_000], vacant: 0.35 },
    owner: { company: 0.22 },
  },
} satisfies Record<string, LandUse>

export type Use = keyof typeof LAND_USES
type Mix = Partial<Record<Use, number>>

const DOWNTOWN_M = 300
const INNER_TOWN_M = 550
const DOWNTOWN: Mix = { shops: 0.55, condominiums: 0.15, apartments: 0.12, civic: 0.12, park: 0.06 }
const INNER_TOWN: Mix = { duplexes: 0.5, homes: 0.24, shops: 0.1, apartments: 0.06, park: 0.05, civic: 0.05 }
const OUTER_TOWN: Mix = { homes: 0.86, industry: 0.05, duplexes: 0.04, park: 0.03, civic: 0.02 }
const AROUND_TOWN: Mix = { acreage: 0.91, industry: 0.04, park: 0.03, civic: 0.02 }
const COUNTRY: Mix = { farm: 0.95, acreage: 0.05 }

/** Shops in the middle, homes around them, farms at the edge; each block has one use. */
export const chooseUse = (block: Block, random: Random): Use => {
  const mix = mixOf(block)
  const uses = Object.keys(mix) as Use[]
  let left = random.next()
  const chosen = uses.find((use) => {
    left -= mix[use] ?? 0
    return left < 0
  })
  return chosen ?? (uses[0] as Use)
}

const mixOf = ({ ring, distanceM }: Block): Mix => {
  if (ring === FARM_RING) return COUNTRY
  if (ring !== TOWN_RING) return AROUND_TOWN
  if (distanceM < DOWNTOWN_M) return DOWNTOWN
  return distanceM < INNER_TOWN_M ? INNER_TOWN : OUTER_TOWN
}

const ALLEY_M = 5
/** A canal through a farm. */
const CANAL_M = 14

export const divideBlock = ({ ring, width, height }: Block, { lots }: LandUse, random: Random): Division => {
  const [least, most] = lots.columns
  const turned = random.chance(0.25)
  const columns = least + random.below(most - least + 1)
  const fitting = Math.max(1, Math.round(turned ? (columns * height) / width : columns))
  return {
    columns: fitting,
    alleyM: random.chance(lots.alley) ? (ring === FARM_RING ? CANAL_M : ALLEY_M) : 0,
    slantM: random.chance(0.25) ? (random.between(-0.5, 0.5) * height) / fitting : 0,
    turned,
  }
}

/** Whole dollars, rounded to tens. Most buildings are near the lowest price of their kind. */
export const appraise = ({ worth }: LandUse, acreage: number, priceLevel: number, random: Random) => {
  const vacant = random.chance(worth.vacant)
  const [least, most] = worth.building
  const inTens = (dollars: number) => Math.round((dollars * priceLevel) / 10) * 10
  const valueLand = inTens((worth.lot + worth.acre * acreage) * random.between(0.85, 1.15))
  const valueImprovement = vacant ? 0 : inTens(least + (most - least) * random.next() ** 2)
  return { vacant, valueLand, valueImprovement, assessedValue: valueLand + valueImprovement }
}
