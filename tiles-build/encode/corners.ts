import { BUFFER, EXTENT } from './tile-math'

/** Rounds the ring's points to whole units into `drawn`, without repeated points. Returns the number of corners. */
export const roundRing = (ring: Float64Array, count: number, drawn: Int32Array, all: boolean): number => {
  let corners = 0
  for (let point = 0; point < count; point++) {
    const x = Math.round(ring[2 * point] as number)
    const y = Math.round(ring[2 * point + 1] as number)
    if (corners > 0 && drawn[2 * corners - 2] === x && drawn[2 * corners - 1] === y) continue
    // Drop spikes: on the grid a narrow part collapses to a line there and back.
    if (!all && corners > 1 && drawn[2 * corners - 4] === x && drawn[2 * corners - 3] === y) {
      corners--
      continue
    }
    drawn[2 * corners] = x
    drawn[2 * corners + 1] = y
    corners++
  }
  while (corners > 1 && drawn[0] === drawn[2 * corners - 2] && drawn[1] === drawn[2 * corners - 1]) corners--
  return corners
}

/** Twice the signed area, by the surveyor's formula. Positive for an outer ring (y points down). */
export const areaOf = (drawn: Int32Array, corners: number): number => {
  let area = 0
  let lastX = drawn[2 * corners - 2] as number
  let lastY = drawn[2 * corners - 1] as number
  for (let corner = 0; corner < corners; corner++) {
    const x = drawn[2 * corner] as number
    const y = drawn[2 * corner + 1] as number
    area += lastX * y - x * lastY
    lastX = x
    lastY = y
  }
  return area
}

/** Whether the bounding box of the corners touches the tile itself, not only its buffer. */
export const touchesTile = (drawn: Int32Array, corners: number): boolean => {
  let [nearX, nearY, farX, farY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let corner = 0; corner < corners; corner++) {
    const [x, y] = [drawn[2 * corner] as number, drawn[2 * corner + 1] as number]
    nearX = Math.min(nearX, x)
    nearY = Math.min(nearY, y)
    farX = Math.max(farX, x)
    farY = Math.max(farY, y)
  }
  return nearX <= EXTENT && nearY <= EXTENT && farX >= 0 && farY >= 0
}

/**
 * Turns a ring without area into a strip one unit wide, from its first corner to the farthest one. The strip is on the side where the
 * ring was before rounding.
 */
export const thicken = (drawn: Int32Array, corners: number, ring: Float64Array, count: number): number => {
  let [offX, offY] = [0, 0]
  for (let point = 0; point < count; point++) {
    const [x, y] = [ring[2 * point] as number, ring[2 * point + 1] as number]
    offX += x - Math.round(x)
    offY += y - Math.round(y)
  }
  const sideX = offX < 0 ? -1 : 1
  const sideY = offY < 0 ? -1 : 1
  const [x, y] = [drawn[0] as number, drawn[1] as number]
  let [farX, farY] = [x, y]
  for (let corner = 1; corner < corners; corner++) {
    const [toX, toY] = [drawn[2 * corner] as number, drawn[2 * corner + 1] as number]
    if ((toX - x) ** 2 + (toY - y) ** 2 > (farX - x) ** 2 + (farY - y) ** 2) [farX, farY] = [toX, toY]
  }
  if (farX === x && farY === y) farX += sideX
  const [stepX, stepY] = Math.abs(farX - x) >= Math.abs(farY - y) ? [0, sideY] : [sideX, 0]
  const within = (value: number) => Math.min(EXTENT + BUFFER, Math.max(-BUFFER, value))
  drawn.set([x, y, farX, farY, within(farX + stepX), within(farY + stepY), within(x + stepX), within(y + stepY)])
  return 4
}
