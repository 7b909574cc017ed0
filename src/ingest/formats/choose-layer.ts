import { UnreadableFile } from '../rows/unreadable-file'
import type { Input } from './format'

/** The only layer, or the requested one. @throws UnreadableFile, which lists the names to choose from */
export const chooseLayer = <Layer extends { name: string }>(
  input: Input,
  layers: readonly Layer[],
  wanted: string | null,
): Layer => {
  const names = layers.map(({ name }) => name).join(', ')
  const [first, ...more] = wanted === null ? layers : layers.filter(({ name }) => name === wanted)
  if (first === undefined) {
    throw new UnreadableFile(
      layers.length === 0
        ? `${input.name} has no layer with boundaries`
        : `${input.name} has no layer "${wanted}": it has ${names}`,
    )
  }
  if (more.length > 0) {
    throw new UnreadableFile(`${input.name} has several layers: ${names}. Which one? Name it with --layer`)
  }
  return first
}
