import { expect, test } from 'bun:test'
import { bbox } from '@turf/bbox'
import fc from 'fast-check'
import type { MultiPolygon, Position } from 'geojson'
import type { Bbox } from '../../core/geometry/bbox'
import { setCause } from '../../drizzle/queries/changes/set-cause'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { createSource } from '../../drizzle/queries/sources/create-source'
import type { ParcelInput } from '../../drizzle/records'
import { linkSuccessors } from '../../src/parcels/link-successors'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()

/** A lot in a street of lots, in steps of a parcel's size. */
interface Lot {
  id: string
  west: number
  east: number
  south: number
  north: number
}

/** Moves the corners, so that edges run in any direction. */
const draw = ({ id, west, east, south, north }: Lot, shear: number): ParcelInput => {
  const at = (x: number, y: number): Position => [-122.9 + (x + shear * y) * 1e-5, 45.5 + (y - shear * x) * 1e-5]
  const ring = [at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)]
  const geom: MultiPolygon = { type: 'MultiPolygon', coordinates: [[ring]] }
  return { sourceParcelId: id, geom, bbox: bbox(geom) as Bbox }
}

let sources = 0
const addSource = async (): Promise<string> => {
  const source = `street-${++sources}`
  await createSource(sql, { source, state: 'OR', countyName: 'Elm', baseUrl: 'https://example.invalid' })
  return source
}

/** Loads lots and retires all others of the source, as a complete load does. Returns its id. */
const load = async (source: string, lots: readonly ParcelInput[]): Promise<string> => {
  const id = crypto.randomUUID()
  await sql.begin(async (tx) => {
    await setCause(tx, 'ingest')
    await upsertParcels(tx, source, lots, { cause: 'ingest', id })
    await tx`
      update parcels set retired_at = now(), cause_id = ${id}
      where source = ${source} and retired_at is null and source_parcel_id <> all(${lots.map(({ sourceParcelId }) => sourceParcelId)})`
  })
  return id
}

const readLinks = async (source: string): Promise<string[]> => {
  const rows = await sql<{ link: string }[]>`
    select format('%s %s %s', was.source_parcel_id, kind, is_.source_parcel_id) as link
    from parcel_links join parcels was on was.id = predecessor join parcels is_ on is_.id = successor
    where was.source = ${source} and is_.source = ${source}`
  return rows.map(({ link }) => link).toSorted()
}

const width = fc.integer({ min: 1, max: 20 })
const widths = fc.array(width, { minLength: 2, maxLength: 4 })
const change = fc.oneof(
  fc.record({
    kind: fc.constantFrom('keep' as const, 'vanish' as const, 'replace' as const, 'shift' as const),
    widths: fc.tuple(width),
  }),
  fc.record({ kind: fc.constantFrom('split' as const, 'merge' as const, 'grow' as const), widths }),
)

/** What happens to the lots of a street from one year to the next, and the expected links. */
const plan = (changes: readonly (typeof change extends fc.Arbitrary<infer Change> ? Change : never)[]) => {
  const before: Lot[] = []
  const after: Lot[] = []
  const links: string[] = []
  let x = 0
  for (const [index, { kind, widths }] of changes.entries()) {
    const [south, north] = [0, 30]
    const whole = { west: x, east: x + widths.reduce((sum, one) => sum + one, 0), south, north }
    const parts = widths.map((one, part) => {
      const west = x
      x += one
      return { id: `${index}-${part}`, west, east: x, south, north }
    })
    const [first, ...others] = parts as [Lot, ...Lot[]]
    if (kind === 'keep') {
      before.push(first)
      after.push(first)
    } else if (kind === 'vanish') {
      before.push(first)
    } else if (kind === 'replace') {
      before.push(first)
      after.push({ ...first, id: `${index}-new`, north: north + 1 })
      links.push(`${first.id} replaced ${index}-new`)
    } else if (kind === 'shift') {
      // Half of the new lot is outside the old one, so neither has the other's land.
      before.push(first)
      after.push({ ...first, id: `${index}-new`, south: 15, north: 45 })
    } else if (kind === 'split') {
      before.push({ ...whole, id: `${index}-old` })
      after.push(...parts)
      links.push(...parts.map(({ id }) => `${index}-old split ${id}`))
    } else if (kind === 'merge') {
      before.push(...parts)
      after.push({ ...whole, id: `${index}-new` })
      links.push(...parts.map(({ id }) => `${id} merge ${index}-new`))
    } else {
      // The first lot keeps its id and absorbs the others.
      before.push(...parts)
      after.push({ ...whole, id: first.id })
      const isNearlyAll = others.length === 1 && (widths[1] ?? 0) >= 0.8 * (whole.east - whole.west)
      links.push(...others.map(({ id }) => `${id} ${isNearlyAll ? 'replaced' : 'merge'} ${first.id}`))
    }
  }
  return { before, after, links: links.toSorted() }
}

test('random splits, merges and replacements of lots are linked, and nothing else is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0, 0.3, -1, 2.5),
      async (changes, shear) => {
        const { before, after, links } = plan(changes)
        const source = await addSource()
        await load(
          source,
          before.map((lot) => draw(lot, shear)),
        )
        const loadId = await load(
          source,
          after.map((lot) => draw(lot, shear)),
        )
        expect(await linkSuccessors(sql, loadId)).toBe(links.length)
        expect(await readLinks(source)).toEqual(links)
        // A second run finds the same.
        expect(await linkSuccessors(sql, loadId)).toBe(links.length)
        expect(await readLinks(source)).toEqual(links)
      },
    ),
    // 16 of 20 feet are exactly the least share. Rounding must not decide.
    {
      numRuns: 40,
      examples: [0, 0.3, -1, 2.5].map((shear) => [
        [
          { kind: 'grow', widths: [4, 16] },
          { kind: 'split', widths: [1, 1] },
        ],
        shear,
      ]),
    },
  )
})

test('all retired parcels are linked, even if there are more than one statement reads', async () => {
  const source = await addSource()
  const lots = Array.from({ length: 450 }, (_, n): Lot => ({ id: String(n), west: n, east: n + 1, south: 0, north: 1 }))
  await load(
    source,
    lots.map((lot) => draw(lot, 0)),
  )
  const loadId = await load(
    source,
    lots.map((lot) => draw({ ...lot, id: `${lot.id}-new` }, 0)),
  )
  expect(await linkSuccessors(sql, loadId)).toBe(450)
  expect((await readLinks(source)).every((link) => /^(\d+) replaced \1-new$/.test(link))).toBe(true)
})

test('a parcel that is retired again has only the successors of this time', async () => {
  const source = await addSource()
  const lot = { id: 'old', west: 0, east: 1, south: 0, north: 1 }
  await load(source, [draw(lot, 0)])
  await linkSuccessors(sql, await load(source, [draw({ ...lot, id: 'new' }, 0)]))
  expect(await readLinks(source)).toEqual(['old replaced new'])
  await linkSuccessors(sql, await load(source, [draw(lot, 0)]))
  await linkSuccessors(sql, await load(source, [draw({ ...lot, id: 'newest' }, 0)]))
  expect(await readLinks(source)).toEqual(['new replaced old', 'old replaced newest'])
})

test('parcels without a boundary, and parcels of other sources and other loads, are not linked', async () => {
  const [source, other] = [await addSource(), await addSource()]
  const lot = { id: 'old', west: 0, east: 1, south: 0, north: 1 }
  await load(source, [draw(lot, 0), { sourceParcelId: 'bare' }])
  await load(other, [draw({ ...lot, id: 'elsewhere' }, 0)])
  await upsertParcels(sql, source, [draw({ ...lot, id: 'earlier' }, 0)])
  const loadId = await load(source, [{ sourceParcelId: 'earlier' }, { sourceParcelId: 'bare-new' }])
  expect(await linkSuccessors(sql, loadId)).toBe(0)
})
