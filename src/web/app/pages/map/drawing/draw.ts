import type * as maplibregl from 'maplibre-gl'
import { TerraDraw, TerraDrawLineStringMode, TerraDrawPolygonMode } from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import type { Area } from './area'

export interface Drawing {
  /** Adds a corner in the middle of the map, for those who use the keyboard. */
  addMiddle: () => void
  finish: () => void
  /** Takes the drawing off the map. */
  stop: () => void
}

/** Ends a drawing. `Enter` is taken: it adds a corner. */
const FINISH_KEY = 'f'
const COLOR = '#b4261e'

/**
 * Lets people draw a line or an area on the map: a corner with each click, and a double click, or a click on the first corner, at the
 * end. `onChange` receives the corners so far. After the end, the drawing stays on the map until it is stopped.
 */
export const startDrawing = (
  map: maplibregl.Map,
  kind: 'line' | 'area',
  { onChange, onFinish }: { onChange: (corners: Area) => void; onFinish: () => void },
): Drawing => {
  const keyEvents = { finish: FINISH_KEY, cancel: 'Escape' }
  const draw = new TerraDraw({
    adapter: new TerraDrawMapLibreGLAdapter({ map }),
    modes: [
      kind === 'line'
        ? new TerraDrawLineStringMode({
            keyEvents,
            styles: { lineStringColor: COLOR, lineStringWidth: 3, closingPointColor: COLOR },
          })
        : new TerraDrawPolygonMode({
            keyEvents,
            styles: {
              fillColor: COLOR,
              fillOpacity: 0.15,
              outlineColor: COLOR,
              outlineWidth: 3,
              closingPointColor: COLOR,
            },
          }),
    ],
  })
  draw.start()
  draw.setMode(kind === 'line' ? 'linestring' : 'polygon')
  draw.on('change', () => onChange(readCorners(draw)))
  draw.on('finish', () => {
    onChange(readCorners(draw))
    draw.setMode('static')
    onFinish()
  })
  const canvas = map.getCanvas()
  return {
    addMiddle: () => {
      const { left, top, width, height } = canvas.getBoundingClientRect()
      const at = { clientX: left + width / 2, clientY: top + height / 2, button: 0, isPrimary: true, bubbles: true }
      for (const type of ['pointermove', 'pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(type, at))
    },
    finish: () => canvas.dispatchEvent(new KeyboardEvent('keyup', { key: FINISH_KEY, bubbles: true })),
    stop: () => draw.stop(),
  }
}

/** The corners of the line or the ring, without its last position, which repeats the first one. */
const readCorners = (draw: TerraDraw): Area => {
  for (const { geometry } of draw.getSnapshot()) {
    if (geometry.type === 'LineString') return geometry.coordinates as [number, number][]
    if (geometry.type === 'Polygon') return (geometry.coordinates[0] as [number, number][]).slice(0, -1)
  }
  return []
}
