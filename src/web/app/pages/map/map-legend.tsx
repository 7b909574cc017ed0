import type { Theme } from '../../shell/theme'
import { COLORS } from './style/palette'

/** What the colors of the map mean. */
export const MapLegend = ({ theme }: { theme: Theme }) => {
  const color = COLORS[theme]
  const entries: [name: string, kind: string, color: string][] = [
    ['Parcels', 'fill', color.fills[0]],
    ['Results', 'dot', color.hit],
    ['Selected parcel', 'fill', color.selected],
    ['Searched area', 'line', color.area],
    ['Counties with parcels', 'fill', color.county],
    ['Number of parcels', 'dot', color.county],
    ['Borders', 'line', color.border],
    ['Rivers and lakes', 'line', color.river],
  ]
  return (
    <details className="map-legend">
      <summary>Legend</summary>
      <ul>
        {entries.map(([name, kind, value]) => (
          <li key={name}>
            <span className={`swatch ${kind}`} style={{ color: value }} aria-hidden="true" />
            {name}
          </li>
        ))}
      </ul>
    </details>
  )
}
