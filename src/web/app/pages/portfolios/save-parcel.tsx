import { useState } from 'react'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { fetchLater, Part } from '../../ui/page/part'
import type { ParcelName } from '../map/map-parcel'

/** Fetched when the dialog opens. */
const SaveDialog = fetchLater(async () => (await import('./save-dialog')).SaveDialog)

/** A button that puts a parcel into a portfolio. */
export const SaveParcel = ({ name }: { name: ParcelName }) => {
  const { canRead } = useViewer()
  const [isOpen, setOpen] = useState(false)
  if (!canRead) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Icon name="star" />
        Save
      </Button>
      {isOpen && (
        <Part>
          <SaveDialog name={name} onClose={() => setOpen(false)} />
        </Part>
      )}
    </>
  )
}
