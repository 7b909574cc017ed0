import { useState } from 'react'
import { Loaded } from '../../../ui/loaded'
import type { MultiPolygon, ParcelName } from '../../map/map-parcel'
import { drawOutlines } from '../outlines'
import { useBoundaries } from '../parcel-api'

const SIZE = { width: 280, height: 200 }

/** A small drawing of the boundary before and after a change. Boundaries are requested when it is opened. */
export const BoundaryChange = ({ name, changedAt }: { name: ParcelName; changedAt: string }) => {
  const [isOpen, setOpen] = useState(false)
  const boundaries = useBoundaries(name, changedAt, isOpen)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Compare the outlines</summary>
      {isOpen && (
        <Loaded query={boundaries} what="the boundaries">
          {({ former, next }) => <Outlines former={former as MultiPolygon | null} next={next as MultiPolygon | null} />}
        </Loaded>
      )}
    </details>
  )
}

const Outlines = ({ former, next }: { former: MultiPolygon | null; next: MultiPolygon | null }) => {
  const known = [
    { name: 'Former', series: 'series-2', boundary: former },
    { name: 'New', series: 'series-1', boundary: next },
  ].flatMap(({ boundary, ...rest }) => (boundary === null ? [] : [{ ...rest, boundary }]))
  const paths = drawOutlines(
    known.map(({ boundary }) => boundary),
    SIZE,
  )
  return (
    <figure className="chart outlines">
      <svg role="img" aria-label="The former and the new outline" viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}>
        {known.map(({ name, series }, index) => (
          <g key={name} className={`series ${series}`}>
            <path d={paths[index]} />
          </g>
        ))}
      </svg>
      <figcaption className="legend">
        {known.map(({ name, series }) => (
          <span key={name} className={series}>
            {name}
          </span>
        ))}
      </figcaption>
      {known.length < 2 && (
        <p className="quiet small">
          {former === null ? 'The parcel had no boundary before.' : 'It has no boundary now.'}
        </p>
      )}
    </figure>
  )
}
