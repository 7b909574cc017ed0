import { UnknownLayer, UnreadableFile } from '../rows/unreadable-file'
import type { Input } from './format'

/** The only layer, or the requested one. @throws UnknownLayer, UnreadableFile */
export const chooseLayer = <Layer extends { name: string }>(
  input: Input,
  layers: readonly Layer[],
  wanted: string | null,
): Layer => {
  const names = layers.map(({ name }) => name)
  const [first, ...more] = wanted === null ? layers : layers.filter(({ name }) => name === wanted)
  if (layers.length === 0) throw new UnreadableFile(`${input.name} has no layer with boundaries`)
  if (first === undefined) throw new UnknownLayer(`${input.name} has no layer "${wanted}": it has`, names)
  if (more.length > 0) throw new UnknownLayer(`${input.name} has several layers:`, names)
  return first
}
