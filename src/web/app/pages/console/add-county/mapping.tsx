import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { FilePreview } from '../../../../../ingest/preview/file-preview'
import { Button } from '../../../ui/button'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { type Chosen, isOver, type Settings, startPreview, useFileWork } from './file-api'
import { CrsField, EncodingField, MapFields, PreviewFindings } from './map-fields'
import { Missing } from './missing'
import { Target } from './target'

/** Without fields that have no column. */
const mapOf = (map: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).flatMap(([field, column]) => (column.trim() === '' ? [] : [[field, column]])))

/** A preview guesses the column of a field again if the map does not have the field. With this expression the field stays empty. */
const EMPTY = "''"

/** The map of the file's columns, which the person corrects and checks, and the source to load it into. `first`: the first look. */
export const Mapping = ({ chosen, first, into }: { chosen: Chosen; first: FilePreview; into: string | null }) => {
  const [proposed] = useState(() =>
    Object.fromEntries(Object.entries(first.map).map(([field, column]) => [field, column === EMPTY ? '' : column])),
  )
  const [map, setMap] = useState<Record<string, string>>(proposed)
  const [crs, setCrs] = useState(chosen.settings.crs ?? '')
  const [encoding, setEncoding] = useState(chosen.settings.encoding ?? '')
  const [work, setWork] = useState(chosen.work)
  const [checked, setChecked] = useState(JSON.stringify([proposed, crs, encoding]))
  const latest = useFileWork(work)
  const preview = latest.data?.result.preview ?? first
  const cleared = Object.keys(proposed).filter((field) => (map[field] ?? '').trim() === '')
  const { crs: _, encoding: __, ...others } = chosen.settings
  const settings: Settings = {
    ...others,
    map: { ...mapOf(map), ...Object.fromEntries(cleared.map((field) => [field, EMPTY])) },
    ...(crs.trim() === '' ? {} : { crs: crs.trim() }),
    ...(encoding.trim() === '' ? {} : { encoding: encoding.trim() }),
  }
  const again = useMutation({
    mutationFn: () => startPreview(chosen.place, settings),
    onSuccess: (id) => {
      setWork(id)
      setChecked(JSON.stringify([map, crs, encoding]))
    },
  })
  const isLooking = latest.data !== undefined && !isOver(latest.data)
  const isChecked = checked === JSON.stringify([map, crs, encoding])
  const hasId = (map.source_parcel_id ?? '').trim() !== ''
  return (
    <>
      <section className="card stack" aria-labelledby="fields">
        <h2 id="fields">Fields</h2>
        <PreviewFindings preview={preview} />
        {latest.data?.status === 'error' && <Notice tone="bad">{latest.data.error_message}</Notice>}
        <MapFields preview={preview} map={map} onChange={setMap} />
        <EncodingField value={encoding} onChange={setEncoding} />
        {(preview.crs.question !== null || crs !== '') && <CrsField value={crs} onChange={setCrs} />}
        <Trouble error={again.error} />
        <div className="row">
          <Button disabled={!hasId} isBusy={again.isPending || isLooking} onClick={() => again.mutate()}>
            Check again
          </Button>
          <Missing what={hasId ? (isChecked ? null : CHECK_FIRST) : CHOOSE_ID} />
        </div>
      </section>
      <Target
        chosen={chosen}
        into={into}
        settings={settings}
        isReady={!isLooking}
        missing={
          !hasId
            ? CHOOSE_ID
            : !isChecked
              ? CHECK_FIRST
              : preview.crs.question !== null
                ? 'Enter the coordinate system, and check again.'
                : preview.error !== null
                  ? 'Choose another file, or correct the columns and check again: the file cannot be read to its end.'
                  : preview.rows.parcels === 0
                    ? 'The file has no parcel that can be loaded. Change the columns, and check again.'
                    : null
        }
      />
    </>
  )
}

const CHOOSE_ID = 'Choose the column with the parcel id.'
const CHECK_FIRST = 'Check the changed fields before you load the file.'
