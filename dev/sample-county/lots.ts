import type { MultiPolygon, Position } from 'geojson'
import { SQ_M_PER_ACRE } from '../../core/geometry/acres'
import type { Random } from './random'
import type { Frontage } from './streets'

const MILE_M = 1609.344
/** Meters per degree of latitude, on a sphere of radius 6,371,008.8 m. */
const DEGREE_M = (6_371_008.8 * Math.PI) / 180

/*
 * A township is five by five square miles. The middle mile is the town, the eight miles around it have homes with some land,
 * the outermost sixteen are farms. Each ring divides a mile into blocks; streets run along the borders of blocks.
 */
const TOWNSHIP_MILES = 5
export const TOWN_RING = 0
export const FARM_RING = 2
const RINGS = [
  { across: 12, up: 20, halfStreetM: 9 },
  { across: 4, up: 5, halfStreetM: 10 },
  { across: 2, up: 2, halfStreetM: 10 },
]
/** The finest division of a mile; streets are numbered by it. */
const STREET_M = MILE_M / 20
const AVENUE_M = MILE_M / 12

/** A rectangle between four street center lines, in meters from the town's center. */
export interface Block {
  id: number
  ring: number
  west: number
  south: number
  width: number
  height: number
  /** Distance from the town's center to the middle of the block. */
  distanceM: number
}

/**
 * The blocks of a township in settlement order: from the center outward, but every fourth from the farms
 * inward, so that even a small sample has both.
 */
export const planTownship = (): Block[] => {
  const blocks: Block[] = []
  for (let mileY = -2; mileY <= 2; mileY++) {
    for (let mileX = -2; mileX <= 2; mileX++) {
      const ring = Math.max(Math.abs(mileX), Math.abs(mileY))
      const { across, up } = RINGS[ring] as (typeof RINGS)[number]
      const width = MILE_M / across
      const height = MILE_M / up
      for (let at = 0; at < across * up; at++) {
        const west = (mileX - 0.5) * MILE_M + (at % across) * width
        const south = (mileY - 0.5) * MILE_M + Math.floor(at / across) * height
        const distanceM = Math.hypot(west + width / 2, south + height / 2)
        blocks.push({ id: blocks.length + 1, ring, west, south, width, height, distanceM })
      }
    }
  }
  blocks.sort((a, b) => a.distanceM - b.distanceM || a.id - b.id)
  let inner = 0
  let outer = blocks.length - 1
  return blocks.map((_, at) => blocks[at % 4 === 3 ? outer-- : inner++] as Block)
}

/** A township's location, and the angle (radians) by which its town is rotated against north. */
export interface Site {
  lon: number
  lat: number
  cosLat: number
  angle: number
}

/** The rotation decreases with the distance from the center and is zero here, within the ring of farms. A twist preserves areas. */
const TWIST_RADIUS_M = 2.35 * MILE_M

/** The n-th township's site: townships form a square spiral around the county seat and share their borders. */
export const siteOf = (index: number, seat: Position, random: Random): Site => {
  const [column, row] = squareSpiral(index)
  const lat = (seat[1] as number) + (row * TOWNSHIP_MILES * MILE_M) / DEGREE_M
  const cosLat = Math.cos((lat * Math.PI) / 180)
  const lon = (seat[0] as number) + (column * TOWNSHIP_MILES * MILE_M) / (DEGREE_M * cosLat)
  return { lon, lat, cosLat, angle: random.between(-0.35, 0.35) }
}

const squareSpiral = (index: number): [column: number, row: number] => {
  const ring = Math.ceil((Math.sqrt(index + 1) - 1) / 2)
  const side = 2 * ring
  const back = (side + 1) ** 2 - 1 - index
  if (back <= side) return [ring - back, -ring]
  if (back <= 2 * side) return [-ring, back - side - ring]
  if (back <= 3 * side) return [back - 2 * side - ring, ring]
  return [ring, ring - (back - 3 * side)]
}

const roundDegrees = (degrees: number): number => Math.round(degrees * 1e7) / 1e7

const project = (site: Site, x: number, y: number): Position => {
  const fade = 1 - (x * x + y * y) / (TWIST_RADIUS_M * TWIST_RADIUS_M)
  const angle = fade > 0 ? site.angle * fade * fade : 0
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  return [
    roundDegrees(site.lon + (x * cos - y * sin) / (DEGREE_M * site.cosLat)),
    roundDegrees(site.lat + (x * sin + y * cos) / DEGREE_M),
  ]
}

/** How a block is divided: into columns, in two rows back to back. */
export interface Division {
  columns: number
  /** Width of an alley between the rows; 0 for none. */
  alleyM: number
  /** The slant of the lines between columns. */
  slantM: number
  /** Rotated blocks face avenues instead of streets. */
  turned: boolean
}

/** The part of a block that is one lot: columns `from` up to, not including, `to`, in one row or in both. */
export interface Cells {
  from: number
  to: number
  row: 0 | 1 | 'both'
}

/** Longer fronts get extra nodes to follow the rotated street. Without them, farms would cover the roads between them. */
const LONGEST_EDGE_M = 200

/**
 * A block as a mesh of nodes on four lines: the front of row 0, its back, the back of row 1, its front. Lots consist of
 * whole cells and pass through every node on their border: neighbors share their edges exactly and cannot overlap.
 * Lots share positions; do not modify them.
 */
export class LotMesh {
  private readonly lines: Position[][] = []
  /** Positions of the column lines along the front. */
  private readonly cuts: number[] = [0]
  private readonly nodesPerColumn: number

  constructor(
    site: Site,
    private readonly block: Block,
    private readonly division: Division,
    random: Random,
  ) {
    const { columns, alleyM, slantM, turned } = division
    const street = RINGS[block.ring]?.halfStreetM ?? 0
    const length = (turned ? block.height : block.width) - 2 * street
    const depth = (turned ? block.width : block.height) - 2 * street

    // Columns of different widths that fill the block's length.
    for (let column = 0; column < columns; column++) {
      this.cuts.push((this.cuts[column] as number) + random.between(0.85, 1.15))
    }
    const scale = length / (this.cuts[columns] as number)
    for (let column = 0; column <= columns; column++) this.cuts[column] = (this.cuts[column] as number) * scale

    const nodes = Math.ceil(length / columns / LONGEST_EDGE_M)
    this.nodesPerColumn = nodes
    const cutAt = (node: number): number => {
      const [before, after] = [this.cuts[Math.floor(node / nodes)], this.cuts[Math.ceil(node / nodes)]] as [
        number,
        number,
      ]
      return before + ((after - before) * (node % nodes)) / nodes
    }

    for (let line = 0; line < 4; line++) {
      if (line === 2 && alleyM === 0) {
        this.lines.push(this.lines[1] as Position[])
        continue
      }
      const back = line === 1 || line === 2
      const level = back ? depth / 2 + (line - 1.5) * alleyM : line === 0 ? 0 : depth
      const positions: Position[] = []
      for (let node = 0; node <= columns * nodes; node++) {
        const isEnd = node === 0 || node === columns * nodes
        const along = cutAt(node) + (isEnd ? 0 : slantM * (level / depth - 0.5))
        // Lots without an alley behind them differ in depth.
        const across = back && alleyM === 0 ? level + depth * random.between(-0.04, 0.04) : level
        positions.push(
          turned
            ? project(site, block.west + block.width - street - across, block.south + street + along)
            : project(site, block.west + street + along, block.south + street + across),
        )
      }
      this.lines.push(positions)
    }
  }

  lot({ from, to, row }: Cells): MultiPolygon {
    if (row === 0) return multiPolygon([[this.ring(from, to, [0, 1])]])
    if (row === 1) return multiPolygon([[this.ring(from, to, [2, 3])]])
    if (this.division.alleyM === 0) return multiPolygon([[this.ring(from, to, [0, 1, 3])]])
    return multiPolygon([[this.ring(from, to, [0, 1])], [this.ring(from, to, [2, 3])]])
  }

  /** Cuts a small lot, with sides of `share` of the cell's, out of the middle of the first cell of `lot`, which gets a hole. */
  enclave({ from, row }: Cells, lot: MultiPolygon, share: number): MultiPolygon {
    const line = row === 1 ? 2 : 0
    const corners = [
      this.corner(from, line),
      this.corner(from + 1, line),
      this.corner(from + 1, line + 1),
      this.corner(from, line + 1),
    ]
    const center = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + (corner[axis] as number), 0) / 4)
    const ring = corners.map((corner) =>
      corner.map((degrees, axis) => {
        const middle = center[axis] as number
        return roundDegrees(middle + (degrees - middle) * share)
      }),
    )
    ring.push(ring[0] as Position)
    lot.coordinates[0]?.push(ring.toReversed())
    return multiPolygon([[ring]])
  }

  /** Row 0 is north of its street or west of its avenue; row 1 is on the other side. */
  frontage({ from, to, row }: Cells): Frontage {
    const { block, division } = this
    const middle = ((this.cuts[from] as number) + (this.cuts[to] as number)) / 2
    const evenSide = row !== 1
    if (!division.turned) {
      const line = Math.round((block.south + (evenSide ? 0 : block.height)) / STREET_M)
      return { axis: 'street', line, alongM: block.west + middle, evenSide }
    }
    const line = Math.round((block.west + (evenSide ? block.width : 0)) / AVENUE_M)
    return { axis: 'avenue', line, alongM: block.south + middle, evenSide }
  }

  /** Where the line before a column crosses a line of the mesh. */
  private corner(column: number, line: number): Position {
    return this.lines[line]?.[column * this.nodesPerColumn] as Position
  }

  /** Counterclockwise through all nodes: along the first of `lines`, up the right side, back along the last, down the left. */
  private ring(from: number, to: number, lines: readonly number[]): Position[] {
    const front = (line: number | undefined) =>
      (this.lines[line as number] as Position[]).slice(from * this.nodesPerColumn, to * this.nodesPerColumn + 1)
    const between = lines.slice(1, -1)
    return [
      ...front(lines[0]),
      ...between.map((line) => this.corner(to, line)),
      ...front(lines.at(-1)).reverse(),
      ...between.toReversed().map((line) => this.corner(from, line)),
      this.corner(from, lines[0] as number),
    ]
  }
}

const multiPolygon = (coordinates: Position[][][]): MultiPolygon => ({ type: 'MultiPolygon', coordinates })

/** The area of the polygons without their holes, to four decimals. Holes are clockwise and so have negative area. */
export const acresOf = ({ coordinates }: MultiPolygon, site: Site): number => {
  let doubled = 0
  for (const polygon of coordinates) {
    for (const ring of polygon) {
      const [lon0, lat0] = ring[0] as [number, number]
      for (let at = 2; at < ring.length; at++) {
        const [lon1, lat1] = ring[at - 1] as [number, number]
        const [lon2, lat2] = ring[at] as [number, number]
        doubled += (lon1 - lon0) * (lat2 - lat0) - (lon2 - lon0) * (lat1 - lat0)
      }
    }
  }
  return Math.round(((doubled / 2) * DEGREE_M * DEGREE_M * site.cosLat * 1e4) / SQ_M_PER_ACRE) / 1e4
}
