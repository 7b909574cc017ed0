import { useEffect, useState } from 'react'
import { Field } from './field'

interface Props {
  /** What kinds of files it takes. */
  hint: string
  /** As the attribute of a file field; omitted: any file. */
  accept?: string
  /** A file is being sent, so no other file is accepted. */
  isBusy?: boolean
  onFile: (file: File) => void
}

/** Takes a file that is dropped on it, or chosen. */
export const FileDrop = ({ hint, accept, isBusy = false, onFile }: Props) => {
  const [isOver, setOver] = useState(false)
  const take = (file: File | null | undefined) => {
    if (file != null && !isBusy) onFile(file)
  }
  useEffect(() => {
    // A browser opens a file that is dropped elsewhere, in place of the page.
    addEventListener('dragover', preventDefault)
    addEventListener('drop', preventDefault)
    return () => {
      removeEventListener('dragover', preventDefault)
      removeEventListener('drop', preventDefault)
    }
  }, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside does the same for keyboards
    <div
      className={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files[0])
      }}
    >
      <Field label="Drop a file here, or choose one" hint={hint}>
        {(given) => (
          <input
            {...given}
            type="file"
            accept={accept}
            disabled={isBusy}
            // A browser does not report the same file again, which may have been corrected.
            onClick={({ currentTarget }) => {
              currentTarget.value = ''
            }}
            onChange={({ target }) => take(target.files?.[0])}
          />
        )}
      </Field>
    </div>
  )
}

const preventDefault = (event: Event): void => event.preventDefault()
