import { elementToSVG } from 'dom-to-svg'
import type { Map as MapLibre } from 'maplibre-gl'

/*
 * Runs in the page. Sets `drawPage`, which returns the page as SVG text.
 */
const SVG = 'http://www.w3.org/2000/svg'

interface Hook {
  memoizedState: unknown
  next: Hook | null
}
interface Fiber {
  memoizedState: Hook | null
  return: Fiber | null
  /** React keeps two versions of a component. Either may be the current one. */
  alternate: Fiber | null
}

/** The map in the state of the React component that owns `container`. */
const findMap = (container: Element): MapLibre => {
  const key = Object.keys(container).find((name) => name.startsWith('__reactFiber$')) ?? ''
  let fiber = (container as unknown as Record<string, Fiber | null>)[key] ?? null
  for (; fiber !== null; fiber = fiber.return) {
    for (const version of [fiber, fiber.alternate]) {
      for (let hook = version?.memoizedState; hook; hook = hook.next) {
        const state = hook.memoizedState
        if (typeof state === 'object' && state !== null && 'queryRenderedFeatures' in state) return state as MapLibre
      }
    }
  }
  throw new Error('no map in the page')
}

/** Everything on the map, as shapes at their positions on the screen. */
const drawMap = (map: MapLibre): SVGElement => {
  const { clientWidth: width, clientHeight: height } = map.getCanvas()
  const svg = document.createElementNS(SVG, 'svg')
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    svg.setAttribute(name, String(value))
  const add = (tag: string, attributes: Record<string, unknown>) => {
    const shape = document.createElementNS(SVG, tag)
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, String(value))
    svg.append(shape)
  }
  const place = (position: number[]): string => {
    const { x, y } = map.project(position as [number, number])
    return `${Math.round(x)} ${Math.round(y)}`
  }
  /** Draws all shapes with the same style as one path. Otherwise thousands of parcels would each repeat their attributes. */
  const shapes = new Map<string, { attributes: Record<string, unknown>; parts: Set<string> }>()
  const addShape = (attributes: Record<string, unknown>, rings: number[][][]) => {
    const key = JSON.stringify(attributes)
    const alike = shapes.get(key) ?? { attributes, parts: new Set() }
    for (const ring of rings) alike.parts.add(`M${[...new Set(ring.map(place))].join('L')}Z`)
    shapes.set(key, alike)
  }
  const background = map.getStyle().layers.find(({ type }) => type === 'background')
  add('rect', { width, height, fill: background && map.getPaintProperty(background.id, 'background-color') })
  // Rendered features come from the top layer down.
  const features = map.queryRenderedFeatures().reverse()
  for (const { geometry, layer } of features) {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') continue
    const paint = layer.paint as Record<string, unknown>
    const attributes =
      layer.type === 'fill'
        ? { fill: paint['fill-color'], 'fill-opacity': paint['fill-opacity'] ?? 1 }
        : { fill: 'none', stroke: paint['line-color'], 'stroke-width': paint['line-width'] ?? 1 }
    addShape(
      { ...attributes, layer: layer.id },
      geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat(),
    )
  }
  for (const {
    attributes: { layer: _, ...attributes },
    parts,
  } of shapes.values())
    add('path', { ...attributes, d: [...parts].join('') })
  for (const { geometry, layer } of features) {
    if (geometry.type !== 'Point') continue
    const [cx, cy] = place(geometry.coordinates).split(' ')
    const { 'circle-color': fill, 'circle-stroke-color': stroke } = layer.paint as Record<string, unknown>
    add('circle', { cx, cy, r: 6, fill, stroke, 'stroke-width': 1.5 })
  }
  return svg
}

/** Attributes that do not affect how the picture looks. */
const NEEDLESS =
  /^(data-|aria-|href$|xlink:href$|class$|role$|direction$|font-size-adjust$|font-stretch$|font-variant$|color$)/

const clean = (root: Element): void => {
  for (const element of [...root.querySelectorAll('*')].reverse()) {
    for (const name of element.getAttributeNames()) {
      const isNeedless = NEEDLESS.test(name) && !(element.localName === 'image' && name.endsWith('href'))
      const isUnused = (name === 'id' && element.localName !== 'mask') || element.getAttribute(name) === 'normal'
      if (isNeedless || isUnused) element.removeAttribute(name)
    }
    if (['g', 'style'].includes(element.localName) && element.childNodes.length === 0) element.remove()
    else if (['g', 'a'].includes(element.localName) && element.attributes.length === 0)
      element.replaceWith(...element.childNodes)
  }
  for (const mask of root.querySelectorAll('mask')) {
    if (root.querySelector(`[mask="url(#${mask.id})"]`) === null) mask.remove()
  }
}

const drawPage = async (): Promise<string> => {
  for (const container of document.querySelectorAll('.map')) {
    const map = findMap(container)
    if (!map.loaded()) await map.once('idle')
    map.getCanvas().replaceWith(drawMap(map))
  }
  const picture = elementToSVG(document.documentElement)
  clean(picture.documentElement)
  for (const child of [...picture.documentElement.childNodes]) if (child.nodeType === Node.COMMENT_NODE) child.remove()
  return `${new XMLSerializer().serializeToString(picture).replaceAll(/></g, '>\n<')}\n`
}

Object.assign(globalThis, { drawPage })
