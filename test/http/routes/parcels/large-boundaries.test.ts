import { expect, test } from 'bun:test'
import type { MultiPolygon, Position } from 'geojson'
import { bboxOf } from '../../../../core/geometry/bbox'
import { MAX_PAGE_BYTES } from '../../../../drizzle/queries/parcels/list-parcels'
import { upsertParcels } from '../../../../drizzle/queries/parcels/upsert-parcels'
import { createTestApp, insertCounty } from '../../test-app'

const { sql, call } = await createTestApp()
await insertCounty(sql)

const PARCELS = 10
const CORNERS = 50_000

/** A lot around (0.5, 0.5) with a rough shore. Each is a bit larger than the one before. */
const lakeside = (index: number): MultiPolygon => {
  const ring = Array.from({ length: CORNERS }, (_, corner): Position => {
    const angle = (2 * Math.PI * corner) / CORNERS
    const radius = (0.1 + index / 1_000) * (1 + Math.random() / 1_000)
    return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)]
  })
  return { type: 'MultiPolygon', coordinates: [[[...ring, ring[0] as Position]]] }
}
const boundaries = Array.from({ length: PARCELS }, (_, index) => lakeside(index))
for (const [index, geom] of boundaries.entries()) {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: `${index}`, geom, bbox: bboxOf(geom) }])
}
const [stored] = await sql<{ bytes: number }[]>`select sum(pg_column_size(geom))::int as bytes from parcels`

const AREA = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ],
  ],
}

test.each([
  ['a source', (after: string) => call(`/v1/parcels?source=elm&geometry=full${after}`)],
  ['a box', (after: string) => call(`/v1/parcels?bbox=0,0,1,1&geometry=simplified${after}`)],
  ['a box that cuts them', (after: string) => call(`/v1/parcels?bbox=0.5,0.5,1,1&geometry=full${after}`)],
  ['a point', (after: string) => call(`/v1/parcels?at=0.5,0.5&geometry=full${after}`)],
  ['a distance', (after: string) => call(`/v1/parcels?near=0.5,0.5&within=1km&geometry=full${after}`)],
  [
    'an area',
    (after: string) =>
      call(`/v1/parcels/within?geometry=full${after}`, {
        method: 'POST',
        body: AREA,
      }),
  ],
])('%s: large boundaries make pages shorter, and all parcels are listed', async (_, read) => {
  expect(stored?.bytes).toBeGreaterThan(1.2 * MAX_PAGE_BYTES)
  const seen: string[] = []
  let pages = 0
  for (let after: string | null = ''; after !== null; pages++) {
    const { status, body } = await read(after === '' ? '' : `&after=${encodeURIComponent(after)}`)
    expect(status, body.error).toBe(200)
    seen.push(...body.parcels.map((row: { source_parcel_id: string }) => row.source_parcel_id))
    after = body.next
  }
  expect(pages).toBeGreaterThan(1)
  expect(seen.toSorted()).toEqual(boundaries.map((_, index) => `${index}`))
})
