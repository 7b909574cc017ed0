import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { navigate, useHistoryState } from 'wouter/use-browser-location'
import { FILE_VENDOR } from '../../../../../../core/sources/file-vendor'
import { useAddressParams } from '../../../address'
import { at } from '../../../api/api'
import { findSource } from '../../../api/sources'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { ConsolePage } from '../console-page'
import { ChooseFile } from './choose-file'
import { type Chosen, isOver, type Place, type Settings, startPreview, useFileWork } from './file-api'
import { FileProgress } from './file-progress'
import { EncodingField } from './map-fields'
import { Mapping } from './mapping'

/** Adds a county from a file, or loads a file into a source: choose, look, map, load, watch. */
export const AddCountyPage = () => {
  const params = useAddressParams()
  const into = params.get('source')
  const chosen = useHistoryState<Chosen | null>()
  const look = useMutation({
    mutationFn: async ({ place, name }: { place: Place; name: string }) => {
      const stored = into === null ? {} : await settingsOf(into)
      const settings = stored ?? {}
      return { place, name, settings, hasSettings: stored !== null, work: await startPreview(place, settings) }
    },
    onSuccess: setChosen,
  })
  const lookAgain = useMutation({
    mutationFn: async ({ chosen, answer }: { chosen: Chosen; answer: Settings }) => {
      const settings = { ...chosen.settings, ...answer }
      return { ...chosen, settings, work: await startPreview(chosen.place, settings) }
    },
    onSuccess: setChosen,
  })
  return (
    <ConsolePage
      title={into === null ? 'Add a county' : `Load a file into ${into}`}
      part={chosen?.work ?? null}
      lead="From a file of its parcels. You see what would be loaded before anything is stored."
      actions={
        <Link className="button" href={into === null ? '/app/console/sources' : `/app/console/sources/${at(into)}`}>
          {into === null ? 'All sources' : 'The source'}
        </Link>
      }
    >
      {chosen === null ? (
        <>
          <ChooseFile onChosen={(place, name) => look.mutate({ place, name })} />
          <Trouble error={look.error} />
        </>
      ) : (
        <>
          <div className="row">
            <strong className="file-name">{[chosen.name, chosen.settings.layer].filter(Boolean).join(' · ')}</strong>
            <Button onClick={() => setChosen(null)}>Choose another file</Button>
          </div>
          <Look
            key={chosen.work}
            chosen={chosen}
            into={into}
            onAnswer={(answer) => lookAgain.mutate({ chosen, answer })}
          />
          <Trouble error={lookAgain.error} />
        </>
      )}
    </ConsolePage>
  )
}

/** The history of the browser keeps the step: Back leads to the one before it, and a reload does not lose the sent file. Null: no file is chosen. */
const setChosen = (chosen: Chosen | null): void => navigate(location.href, { state: chosen })

/** How the files of a source are read. Null: it is not a source of files. */
const settingsOf = async (source: string): Promise<Settings | null> => {
  const { vendor, vendor_config = {} } = await findSource(source)
  return vendor === FILE_VENDOR ? (vendor_config as Settings) : null
}

/** Waits for the first look at the file. */
const Look = ({
  chosen,
  into,
  onAnswer,
}: {
  chosen: Chosen
  into: string | null
  onAnswer: (answer: Settings) => void
}) => {
  const work = useFileWork(chosen.work)
  return (
    <Loaded query={work} what="the file">
      {(data) => {
        const { preview } = data.result
        if (preview?.asks === 'layer')
          return <LayerChoice layers={preview.layers} onChosen={(layer) => onAnswer({ layer })} />
        if (preview?.asks === 'encoding')
          return <EncodingChoice question={preview.error} onChosen={(encoding) => onAnswer({ encoding })} />
        if (preview !== undefined) return <Mapping chosen={chosen} first={preview} into={into} />
        if (isOver(data)) return <Notice tone="bad">The file cannot be read: {data.error_message}</Notice>
        return (
          <section className="card">
            <FileProgress work={data} />
          </section>
        )
      }}
    </Loaded>
  )
}

/** Which layer of the file, or which file of the archive, has the parcels. */
const LayerChoice = ({ layers, onChosen }: { layers: readonly string[]; onChosen: (layer: string) => void }) => (
  <section className="card stack" aria-labelledby="layer">
    <h2 id="layer">Which one has the parcels?</h2>
    <div className="row">
      {layers.map((layer) => (
        <Button key={layer} className="file-name" onClick={() => onChosen(layer)}>
          {layer}
        </Button>
      ))}
    </div>
  </section>
)

/** How the bytes of the file become letters. */
const EncodingChoice = ({ question, onChosen }: { question: string | null; onChosen: (encoding: string) => void }) => {
  const [encoding, setEncoding] = useState('')
  return (
    <form
      className="card stack"
      aria-labelledby="encoding"
      onSubmit={(event) => {
        event.preventDefault()
        onChosen(encoding.trim())
      }}
    >
      <h2 id="encoding">Which encoding is its text in?</h2>
      <Notice tone="warn">{question}</Notice>
      <EncodingField value={encoding} onChange={setEncoding} />
      <div className="row">
        <Button type="submit" disabled={encoding.trim() === ''}>
          Try this encoding
        </Button>
      </div>
    </form>
  )
}
