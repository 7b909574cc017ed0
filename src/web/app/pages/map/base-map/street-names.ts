import type { Feature, Point } from 'geojson'

/** A lot with an address, by the middle of its box. */
export interface AddressedLot {
  address: string
  lon: number
  lat: number
}

/** The name of the street in an address that begins with a house number. Null: there is none. */
export const streetOf = (address: string): string | null =>
  /^\d+[a-z]?(?:[ -]\d+\/\d+)?\s+(?<street>.*?)(?:[\s,]+(?:unit|apt|ste|suite|bldg|lot|spc|#).*)?$/i
    .exec(address.trim())
    ?.groups?.street?.trim() || null

/** House numbers of a block of a street. */
const BLOCK = 100
/** Fewer lots on one side do not show where the street is. */
const MIN_LOTS_OF_SIDE = 2
/** How many times longer than wide the row of lots on each side must be. Shorter rows do not show the direction of the street. */
const MIN_STRETCH = 3

/**
 * Where to write the names of streets, from the addresses of the lots along them. Even and odd house numbers are on opposite sides, so
 * the street of a block is midway between them, and each side is spread along it. `angle`: degrees clockwise, never upside down.
 */
export const placeStreetNames = (lots: readonly AddressedLot[]): Feature<Point, { name: string; angle: number }>[] => {
  const blocks = Map.groupBy(
    lots,
    ({ address }) => `${Math.floor(Number.parseInt(address, 10) / BLOCK)} ${streetOf(address)}`,
  )
  return [...blocks.values()].flatMap((block) => {
    const name = streetOf(block[0]?.address ?? '')
    return name === null ? [] : placeName(name, block)
  })
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const placeName = (name: string, block: readonly AddressedLot[]): Feature<Point, { name: string; angle: number }>[] => {
  const sides = [0, 1].map((side) => block.filter(({ address }) => Number.parseInt(address, 10) % 2 === side))
  if (sides.some((side) => side.length < MIN_LOTS_OF_SIDE)) return []
  const middles = sides.map((side) => ({
    lon: mean(side.map(({ lon }) => lon)),
    lat: mean(side.map(({ lat }) => lat)),
  }))
  const [lon, lat] = [mean(middles.map((middle) => middle.lon)), mean(middles.map((middle) => middle.lat))]
  const shrink = Math.cos((lat * Math.PI) / 180)
  // The principal axis of the lots, each relative to the middle of its side.
  let [xx, yy, xy] = [0, 0, 0]
  for (const [index, side] of sides.entries()) {
    for (const lot of side) {
      const [x, y] = [(lot.lon - (middles[index]?.lon ?? 0)) * shrink, lot.lat - (middles[index]?.lat ?? 0)]
      xx += x * x
      yy += y * y
      xy += x * y
    }
  }
  const spread = Math.hypot((xx - yy) / 2, xy)
  const [long, wide] = [Math.sqrt((xx + yy) / 2 + spread), Math.sqrt(Math.max(0, (xx + yy) / 2 - spread))]
  if (long < MIN_STRETCH * wide) return []
  const angle = (-Math.atan2(2 * xy, xx - yy) / 2) * (180 / Math.PI)
  return [{ type: 'Feature', properties: { name, angle }, geometry: { type: 'Point', coordinates: [lon, lat] } }]
}
