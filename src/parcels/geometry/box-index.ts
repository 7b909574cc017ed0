import Flatbush from 'flatbush'
import type { Bbox } from '../../../core/geometry/bbox'

/** Returns a function that finds the boxes which overlap or touch another one, by their places in the list. */
export const indexBoxes = (boxes: readonly Bbox[]): ((box: Bbox) => number[]) => {
  if (boxes.length === 0) return () => []
  const index = new Flatbush(boxes.length)
  for (const box of boxes) index.add(...box)
  index.finish()
  return (box) => index.search(...box)
}
