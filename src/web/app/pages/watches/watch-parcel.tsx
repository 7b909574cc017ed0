import { useState } from 'react'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { fetchLater, Part } from '../../ui/page/part'
import type { ParcelName } from '../map/map-parcel'

/** Fetched when the dialog opens. */
const AddWatch = fetchLater(async () => (await import('./add-watch')).AddWatch)

/** A button that adds a watch for one parcel. */
export const WatchParcel = ({ name }: { name: ParcelName }) => {
  const { canRead } = useViewer()
  const [isAdding, setAdding] = useState(false)
  if (!canRead) return null
  return (
    <>
      <Button onClick={() => setAdding(true)}>Watch this parcel</Button>
      {isAdding && (
        <Part>
          <AddWatch parcel={name} onClose={() => setAdding(false)} />
        </Part>
      )}
    </>
  )
}
