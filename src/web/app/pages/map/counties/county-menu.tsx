import type { CountyArea } from './county-areas'

/** Flies to a county. Only for services with several counties. */
export const CountyMenu = ({
  areas,
  onPick,
}: {
  areas: readonly CountyArea[]
  onPick: (bbox: CountyArea['bbox']) => void
}) => (
  <select
    className="map-counties"
    aria-label="Go to a county"
    value=""
    onChange={({ target }) => {
      const area = areas.find(({ name }) => name === target.value)
      if (area) onPick(area.bbox)
    }}
  >
    <option value="">Go to a county</option>
    {areas
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
  </select>
)
