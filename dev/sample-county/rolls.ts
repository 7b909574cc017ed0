import { isDeepStrictEqual } from 'node:util'
import type { MultiPolygon, Position } from 'geojson'
import { bboxOf } from '../../core/geometry/bbox'
import { parcelFields } from '../../core/parcels/fields'
import type { ParcelInput } from '../../drizzle/records'
import type { ChangeAction } from '../../drizzle/schema/values'
import { sampleParcels } from './county'
import { drawOwners } from './names'
import { Random } from './random'

/** One year's list of all parcels of the sample county, and what changed since the year before. Both are sorted by id. */
export interface Roll {
  year: number
  parcels: ParcelInput[]
  changes: RollChange[]
}

export interface RollChange {
  id: string
  /** `retired`: this year's list no longer has the parcel. `returned`: it has the parcel again. */
  action: Exclude<ChangeAction, 'deleted'>
  /** Field → [former value, new value], as in the change log. Empty unless the action is `changed`. */
  changes: Record<string, [unknown, unknown]>
}

/** The share of parcels that change in a year: small enough that no load is held. */
const SHARES = { sold: 0.03, reassessed: 0.02, blanked: 0.006, lost: 0.008, split: 0.008 }
/** The share of formerly lost parcels that return in a year, and of formerly split lots that are merged again. */
const RETURNING = 0.3
const MERGED = 0.3

/** Fields that a county sometimes leaves empty. */
const BLANKS = ['zoningDescription', 'landUseClass', 'ownerMailingAddress'] as const

/**
 * Yearly versions of the sample county, in which lots are sold, reassessed, split and merged again, disappear and return, and lose a
 * value. The first version is `sampleParcels`. The same seed gives the same versions.
 */
export function* sampleRolls({
  parcels,
  years,
  seed = 1,
}: {
  parcels: number
  years: readonly number[]
  seed?: number
}): Generator<Roll> {
  const county = new County([...sampleParcels({ parcels, seed })])
  const everListed = new Set<string>()
  let before = new Map<string, ParcelInput>()
  for (const [index, year] of years.entries()) {
    if (index > 0) county.pass(year, new Random(seed, year))
    const after = new Map(county.parcels)
    yield { year, parcels: sortById([...after.values()]), changes: compare(before, after, everListed) }
    for (const id of after.keys()) everListed.add(id)
    before = after
  }
}

class County {
  readonly parcels: Map<string, ParcelInput>
  #lost: ParcelInput[] = []
  #splits: { parent: ParcelInput; halves: readonly string[] }[] = []

  constructor(parcels: readonly ParcelInput[]) {
    this.parcels = new Map(parcels.map((parcel) => [parcel.sourceParcelId, parcel]))
  }

  /** Applies the changes of one year. */
  pass(year: number, random: Random): void {
    const [returning, lost] = divide(this.#lost, () => random.chance(RETURNING))
    const [merged, splits] = divide(
      this.#splits,
      ({ halves }) => random.chance(MERGED) && halves.every((id) => this.parcels.has(id)),
    )
    this.#lost = lost
    this.#splits = splits
    for (const { parent, halves } of merged) this.#merge(parent, halves, year)
    for (const parcel of [...this.parcels.values()]) this.#change(parcel, year, random)
    for (const parcel of returning) this.#list(parcel)
  }

  #list(parcel: ParcelInput): void {
    this.parcels.set(parcel.sourceParcelId, parcel)
  }

  #merge(parent: ParcelInput, halves: readonly string[], year: number): void {
    for (const id of halves) this.parcels.delete(id)
    this.#list({ ...parent, sourceParcelId: `${parent.sourceParcelId}-${year}M` })
  }

  #change(parcel: ParcelInput, year: number, random: Random): void {
    const { sold, reassessed, blanked, lost, split } = SHARES
    let draw = random.next()
    const happens = (share: number) => {
      draw -= share
      return draw < 0 && draw >= -share
    }
    if (happens(sold)) {
      const { name, all } = drawOwners(random)
      this.#list({ ...parcel, ownerName: name, ownerNamesAll: all })
    } else if (happens(reassessed)) {
      this.#list({ ...parcel, assessedValue: Math.round((parcel.assessedValue ?? 0) * random.between(1.01, 1.06)) + 1 })
    } else if (happens(blanked)) {
      this.#list({ ...parcel, [random.pick(BLANKS)]: null })
    } else if (happens(lost)) {
      this.parcels.delete(parcel.sourceParcelId)
      this.#lost.push(parcel)
    } else if (happens(split)) {
      const halves = halve(parcel, year)
      if (halves === null) return
      this.parcels.delete(parcel.sourceParcelId)
      for (const half of halves) this.#list(half)
      this.#splits.push({ parent: parcel, halves: halves.map(({ sourceParcelId }) => sourceParcelId) })
    }
  }
}

const divide = <Item>(items: readonly Item[], holds: (item: Item) => boolean): [Item[], Item[]] => {
  const [yes, no]: [Item[], Item[]] = [[], []]
  for (const item of items) (holds(item) ? yes : no).push(item)
  return [yes, no]
}

/** Cuts a lot with four corners along its diagonal. Null: it has another shape. */
const halve = (parcel: ParcelInput, year: number): ParcelInput[] | null => {
  const [polygon, ...others] = parcel.geom?.coordinates ?? []
  const [ring, ...holes] = polygon ?? []
  if (others.length > 0 || holes.length > 0 || ring?.length !== 5) return null
  const [a, b, c, d] = ring as [Position, Position, Position, Position]
  return [
    [a, b, c, a],
    [a, c, d, a],
  ].map((half, index) => {
    const geom: MultiPolygon = { type: 'MultiPolygon', coordinates: [[half]] }
    return {
      ...parcel,
      sourceParcelId: `${parcel.sourceParcelId}-${year}${'AB'[index]}`,
      geom,
      bbox: bboxOf(geom),
      acreage: (parcel.acreage ?? 0) / 2,
    }
  })
}

const sortById = <Row extends { sourceParcelId: string }>(rows: Row[]): Row[] =>
  rows.sort((one, other) => (one.sourceParcelId < other.sourceParcelId ? -1 : 1))

const compare = (
  before: ReadonlyMap<string, ParcelInput>,
  after: ReadonlyMap<string, ParcelInput>,
  everListed: ReadonlySet<string>,
): RollChange[] => {
  const changes: RollChange[] = []
  for (const id of before.keys()) if (!after.has(id)) changes.push({ id, action: 'retired', changes: {} })
  for (const [id, parcel] of after) {
    const former = before.get(id)
    if (former === undefined) changes.push({ id, action: everListed.has(id) ? 'returned' : 'created', changes: {} })
    else if (former !== parcel) {
      const differences = compareParcels(former, parcel)
      if (Object.keys(differences).length > 0) changes.push({ id, action: 'changed', changes: differences })
    }
  }
  return changes.sort((one, other) => (one.id < other.id ? -1 : 1))
}

const compareParcels = (former: ParcelInput, parcel: ParcelInput): RollChange['changes'] =>
  Object.fromEntries(
    parcelFields.flatMap(({ name, key }) => {
      const values: [unknown, unknown] = [former[key] ?? null, parcel[key] ?? null]
      return isDeepStrictEqual(values[0], values[1]) ? [] : [[name, values] as const]
    }),
  )
