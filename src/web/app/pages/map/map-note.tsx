import type * as maplibregl from 'maplibre-gl'
import { Link } from 'wouter'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import type { Archive } from './base-map/archive'
import type { MapHit } from './map-parcel'
import { paddingIn } from './maplibre/bounds'
import { shows } from './maplibre/view'
import { COUNTY_LAYERS, UNPLACED_COUNTIES } from './style/county-layers'

/** Why no parcels, or none of the hits, are visible. `map`: the map, if it shows no parcel at its position. */
export const MapNote = ({
  archive,
  error,
  map,
  hits,
  isUnplaced,
}: {
  archive: Archive | null | undefined
  error: Error | null
  map: maplibregl.Map | null
  hits: readonly MapHit[]
  isUnplaced: boolean
}) => {
  const { canAdminister } = useViewer()
  if (archive === null) {
    return (
      <p className="map-note" role="status">
        There are no boundaries yet. They appear here after the first build of the tiles.
        {canAdminister && <Link href="/app/console/tiles">Builds</Link>}
      </p>
    )
  }
  if (error !== null) {
    return (
      <p className="map-note" role="status">
        The boundaries cannot be loaded.
      </p>
    )
  }
  if (isUnplaced) {
    return (
      <p className="map-note" role="status">
        The location of these parcels is not known.
      </p>
    )
  }
  if (map === null || archive === undefined) return null
  return (
    <p className="map-note" role="status">
      {shows(map, COUNTY_LAYERS)
        ? 'Click a county, or zoom in, to see parcels.'
        : map.getZoom() >= archive.parcelsMinZoom || archive.hasOverview
          ? hits.some((hit) => map.getBounds().contains(hit))
            ? 'The boundaries of these parcels are not drawn yet. This page shows them after the next build of the tiles.'
            : shows(map, [UNPLACED_COUNTIES])
              ? 'The locations of the parcels of this county are not known. Search finds them.'
              : 'There are no parcels here.'
          : 'Zoom in to see parcels.'}{' '}
      <Button onClick={() => map.fitBounds(archive.bounds, { padding: paddingIn(map.getContainer()) })}>
        Show all parcels
      </Button>
    </p>
  )
}
