import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../ui/button'
import { Spinner } from '../ui/spinner'
import type { ParcelMapProps } from './parcel-map'

/** The map is most of the app's script. It loads last, and only where the map is visible. */
const ParcelMap = lazy(async () => ({ default: (await import('./parcel-map')).ParcelMap }))

const WIDE = '(min-width: 861px)'

/** `isOpen` undefined: the map opens on wide screens, after the page has loaded. */
export const MapPanel = ({ isOpen, ...props }: ParcelMapProps & { isOpen?: boolean | undefined }) => {
  const [isWanted, setWanted] = useState(isOpen === true)
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
    <Suspense fallback={<Spinner label="Opening the map" />}>
      <ParcelMap {...props} />
    </Suspense>
  )
}
