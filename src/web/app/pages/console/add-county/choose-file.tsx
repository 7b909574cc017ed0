import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Refusal } from '../../../api/api'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { FileDrop } from '../../../ui/form/file-drop'
import { Trouble } from '../../../ui/loaded'
import { Progress } from '../../../ui/progress'
import { FileUpload, type Place } from './file-api'

/** A file that is dropped or chosen and sent, or the URL of one. */
export const ChooseFile = ({ onChosen }: { onChosen: (place: Place, name: string) => void }) => {
  const upload = useRef<FileUpload | null>(null)
  const [share, setShare] = useState(0)
  const [address, setAddress] = useState('')
  const send = useMutation({
    mutationFn: (file: FileUpload) => file.send(setShare),
    onSuccess: (id, { file }) => onChosen({ file: id }, file.name),
  })
  const choose = (file: File) => {
    upload.current = new FileUpload(file)
    setShare(0)
    send.mutate(upload.current)
  }
  return (
    <section className="card stack" aria-labelledby="choose-file">
      <h2 id="choose-file">The file</h2>
      <FileDrop
        hint="Zipped shapefile, GeoPackage, FlatGeobuf, GeoParquet, GeoJSON, TopoJSON or CSV."
        isBusy={send.isPending}
        onFile={choose}
      />
      {send.isPending && <Progress label={`Sending ${send.variables.file.name}`} share={share} />}
      <Trouble error={send.error} />
      {send.isError && !isRefused(send.error) && upload.current !== null && (
        <div className="row">
          <Button className="file-name" onClick={() => upload.current && send.mutate(upload.current)}>
            Continue to send {upload.current.file.name}
          </Button>
        </div>
      )}
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          onChosen({ address: address.trim() }, nameIn(address))
        }}
      >
        <Field
          label="Or the URL of a file"
          hint="The service fetches it, now and later on a schedule."
          className="grow"
        >
          {(given) => (
            <input
              {...given}
              type="url"
              placeholder="https://"
              autoComplete="off"
              value={address}
              onChange={({ target }) => setAddress(target.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={address.trim() === ''}>
          Fetch it
        </Button>
      </form>
    </section>
  )
}

/** The service does not take this file, however often it is sent. */
const isRefused = (error: Error): boolean => error instanceof Refusal && (error.status === 400 || error.status === 413)

const nameIn = (address: string): string =>
  address
    .replace(/[?#].*$/, '')
    .split('/')
    .at(-1) || address
