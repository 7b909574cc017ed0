import mapStyles from 'maplibre-gl/dist/maplibre-gl.css' with { type: 'file' }
import { Suspense, useEffect, useMemo, useState } from 'react'
import { preload } from 'react-dom'
import { Button } from '../../ui/button'
import { ErrorBoundary, type Failure, PageNotFetched } from '../../ui/page/error-boundary'
import { fetchLater } from '../../ui/page/part'
import { Spinner } from '../../ui/spinner'
import { useParcel } from '../parcel/parcel-api'
import { type MultiPolygon, type ParcelName, type Point, placeOf } from './map-parcel'
import { ParcelCard } from './parcel-card'
import type { ParcelMapProps } from './parcel-map'
import { selectParcel, useSelectedParcel } from './selection'

/** The map is most of the app's script. It loads last, and only where the map is visible. */
const ParcelMap = fetchLater(async () => {
  // The map is shown when it has its styles, so they are fetched together with its code.
  preload(mapStyles, { as: 'style' })
  return (await import('./parcel-map')).ParcelMap
})

const WIDE = '(min-width: 53.8125em)'

interface Props extends Omit<ParcelMapProps, 'selected' | 'boundary' | 'onPick'> {
  /** The parcel that the page is about. It is highlighted while no other one is selected. */
  subject?: { name: ParcelName; boundary: MultiPolygon | Point } | undefined
  /** Undefined: the map opens on wide screens, after the page has loaded. */
  isOpen?: boolean | undefined
  /** Called when a parcel, or a place without one, is picked on the map. */
  onPick?: () => void
}

/**
 * The map of a page. A click on a parcel, or Enter, selects it: the map highlights it and shows a card with its main fields. The page's
 * URL names the selected parcel.
 */
export const MapPanel = ({ subject, isOpen, isFollowing = true, onPick, ...props }: Props) => {
  const [isWanted, setWanted] = useState(isOpen === true)
  const chosen = useSelectedParcel()
  const isSubject = subject !== undefined && isSame(chosen, subject.name)
  const selected = isSubject ? null : chosen
  const parcel = useParcel(selected)
  const boundary = useMemo(() => (parcel.data === undefined ? null : placeOf(parcel.data)), [parcel.data])
  useEffect(() => {
    if (isOpen) setWanted(true)
    if (isOpen !== undefined || !matchMedia(WIDE).matches) return
    const timer = setTimeout(() => setWanted(true), 300)
    return () => clearTimeout(timer)
  }, [isOpen])
  if (!isWanted) {
    return (
      <div className="map-frame closed">
        <Button onClick={() => setWanted(true)}>Open the map</Button>
      </div>
    )
  }
  return (
    <div className="map-frame">
      <ErrorBoundary fallback={NoMap}>
        <Suspense fallback={<Spinner label="Opening the map" />}>
          <ParcelMap
            {...props}
            selected={selected ?? subject?.name ?? null}
            boundary={selected === null ? (subject?.boundary ?? null) : boundary}
            isFollowing={isFollowing && (subject === undefined || selected === null)}
            onPick={(name) => {
              onPick?.()
              selectParcel(subject !== undefined && isSame(name, subject.name) ? null : name)
            }}
          />
        </Suspense>
      </ErrorBoundary>
      {selected !== null && <ParcelCard name={selected} />}
    </div>
  )
}

/** Remote desktops and old machines often have no WebGL. The rest of the page does not need the map. */
const NoMap = ({ error, onTryAgain }: Failure) => (
  <div className="no-map" role="status">
    <p>
      {error instanceof PageNotFetched
        ? 'The map could not be loaded. Check your network.'
        : error.name === 'GPUInitializationError'
          ? 'This browser cannot draw the map: WebGL 2 is turned off or missing. The rest of the page works without it.'
          : `The map cannot be shown: ${error.message}`}
    </p>
    <Button onClick={onTryAgain}>Try again</Button>
  </div>
)

const isSame = (one: ParcelName | null, other: ParcelName): boolean =>
  one?.source === other.source && one.source_parcel_id === other.source_parcel_id
