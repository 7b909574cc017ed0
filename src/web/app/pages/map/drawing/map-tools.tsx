import type * as maplibregl from 'maplibre-gl'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button'
import { Icon, type IconName } from '../../../ui/icon'
import type { Area } from './area'
import type { Drawing } from './draw'
import { formatArea, formatLength, lengthOf } from './measure'

const TOOLS = {
  area: { kind: 'area', icon: 'draw', label: 'Draw an area' },
  length: { kind: 'line', icon: 'ruler', label: 'Measure a distance' },
  acreage: { kind: 'area', icon: 'measure', label: 'Measure an area' },
} as const satisfies Record<string, { kind: 'line' | 'area'; icon: IconName; label: string }>
type Tool = keyof typeof TOOLS

const CLICK_MS = 300
const NOT_FETCHED =
  'This tool could not be fetched. Check your network. Then reload the page: the service may have a newer version.'

export interface MapToolsProps {
  map: maplibregl.Map
  /** While it is set, clicks and Enter on the map draw. */
  drawing: { current: Drawing | null }
  /** Called with the area that was drawn. Without it, areas can only be measured. */
  onArea?: ((area: Area) => void) | undefined
  /** Called with the box that the map shows. */
  onBox?: ((bbox: readonly [number, number, number, number]) => void) | undefined
}

/** Draws areas, and measures distances and areas. */
export const MapTools = ({ map, drawing, onArea, onBox }: MapToolsProps) => {
  const [tool, setTool] = useState<Tool | null>(null)
  const [corners, setCorners] = useState<Area>([])
  const [isFinished, setFinished] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const latest = useRef<Area>(corners)
  /** Changes with each start and stop. */
  const turn = useRef(0)

  const stop = () => {
    turn.current++
    drawing.current?.stop()
    const { current } = drawing
    // The click that ended the drawing is not one on a parcel.
    setTimeout(() => {
      if (drawing.current === current) drawing.current = null
    }, CLICK_MS)
    setTool(null)
  }
  useEffect(() => {
    // The map may be gone by then, and its drawing with it.
    return () => {
      turn.current++
      drawing.current = null
    }
  }, [drawing])
  const start = async (chosen: Tool) => {
    stop()
    setTool(chosen)
    setCorners([])
    setFinished(false)
    setMissing(false)
    const { current } = turn
    // Fetched when it is first used. Someone may have cancelled or chosen another tool by then.
    const fetched = await import('./draw').catch(() => null)
    if (turn.current !== current) return
    if (fetched === null) return setMissing(true)
    drawing.current = fetched.startDrawing(map, TOOLS[chosen].kind, {
      onChange: (next) => {
        latest.current = next
        setCorners(next)
      },
      onFinish: () => {
        setFinished(true)
        if (chosen !== 'area') return
        stop()
        onArea?.(latest.current)
      },
    })
    map.getCanvas().focus({ preventScroll: true })
  }
  const names = (Object.keys(TOOLS) as Tool[]).filter((name) => name !== 'area' || onArea !== undefined)
  return (
    <>
      <fieldset className="map-tools">
        <legend className="unseen">Tools of the map</legend>
        {onBox && (
          <button
            type="button"
            className="map-tool"
            aria-label="Search this area"
            onClick={() => onBox(map.getBounds().toArray().flat() as [number, number, number, number])}
          >
            <Icon name="search" />
            <span>Search this area</span>
          </button>
        )}
        {names.map((name) => (
          <button
            key={name}
            type="button"
            className="map-tool"
            aria-label={TOOLS[name].label}
            title={TOOLS[name].label}
            aria-pressed={tool === name}
            onClick={() => (tool === name ? stop() : start(name))}
          >
            <Icon name={TOOLS[name].icon} />
          </button>
        ))}
      </fieldset>
      {tool !== null && (
        <div className="map-drawing" role="status">
          <span>{isMissing ? NOT_FETCHED : describe(tool, corners, isFinished)}</span>
          {!isFinished && corners.length > 1 && <Button onClick={() => drawing.current?.finish()}>Finish</Button>}
          <Button onClick={stop}>{isFinished ? 'Done' : 'Cancel'}</Button>
        </div>
      )}
    </>
  )
}

const describe = (tool: Tool, corners: Area, isFinished: boolean): string => {
  const isLine = TOOLS[tool].kind === 'line'
  // The last corner moves with the pointer.
  if (corners.length < (isLine ? 2 : 3) && !isFinished) {
    return `Click ${isLine ? 'the points of a line' : 'the corners of an area'}, or move the map with the arrow keys and press Enter.`
  }
  return isLine ? formatLength(lengthOf(corners)) : formatArea(corners)
}
