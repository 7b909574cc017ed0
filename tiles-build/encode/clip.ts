/**
 * Clips a ring to the square from `min` to `max` on both axes (Sutherland and Hodgman, 1974), one side after the other. `ring` holds
 * `count` points as pairs, without a closing point, and receives the result. The place of a cut depends only on the edge, not on its
 * direction, so neighbors are cut at the same points.
 *
 * `spare` is a second buffer; both must hold `clipRoom(count)` numbers.
 *
 * @returns the number of points left; fewer than three means nothing is left.
 */
export const clipRing = (ring: Float64Array, spare: Float64Array, count: number, min: number, max: number): number => {
  let left = clipSide(ring, spare, count, 0, min, 1)
  left = clipSide(spare, ring, left, 0, max, -1)
  left = clipSide(ring, spare, left, 1, min, 1)
  return clipSide(spare, ring, left, 1, max, -1)
}

/** Each side can add up to half as many points (a ring that zigzags across it). Two numbers a point, plus the four corners of a strip. */
export const clipRoom = (count: number): number => 2 * Math.ceil(count * 1.5 ** 4) + 8

/** Keeps the points above `limit` (`sign` 1) or below it (`sign` -1). `axis` is 0 for x, 1 for y. */
const clipSide = (
  from: Float64Array,
  to: Float64Array,
  count: number,
  axis: 0 | 1,
  limit: number,
  sign: 1 | -1,
): number => {
  if (count === 0) return 0
  const other = 1 - axis
  let kept = 0
  let lastAlong = from[2 * (count - 1) + axis] as number
  let lastAcross = from[2 * (count - 1) + other] as number
  let lastInside = (lastAlong - limit) * sign >= 0
  for (let point = 0; point < count; point++) {
    const along = from[2 * point + axis] as number
    const across = from[2 * point + other] as number
    const inside = (along - limit) * sign >= 0
    if (inside !== lastInside) {
      // Always compute from the lower end to the upper, so both neighbors of an edge get the same rounding.
      to[2 * kept + axis] = limit
      to[2 * kept + other] =
        lastAlong < along
          ? lastAcross + ((across - lastAcross) * (limit - lastAlong)) / (along - lastAlong)
          : across + ((lastAcross - across) * (limit - along)) / (lastAlong - along)
      kept++
    }
    if (inside) {
      to[2 * kept + axis] = along
      to[2 * kept + other] = across
      kept++
    }
    lastAlong = along
    lastAcross = across
    lastInside = inside
  }
  return kept
}
