import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/form/field'
import { NameField } from '../../ui/form/name-field'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import type { ParcelName } from '../map/map-parcel'
import { NoteFields } from './note-fields'
import { addPortfolio, putParcel, readTags, usePortfolios } from './portfolio-api'

const NEW = ''

/** A dialog that puts a parcel into a portfolio, an old one or a new one, with a note and tags. */
export const SaveDialog = ({ name, onClose }: { name: ParcelName; onClose: () => void }) => {
  const queries = useQueryClient()
  const portfolios = usePortfolios()
  const [chosen, setChosen] = useState<string | null>(null)
  const [title, setTitle] = useState('')
  const [draft, setDraft] = useState({ note: '', tags: '' })
  const known = portfolios.data?.portfolios ?? []
  const id = chosen ?? known[0]?.id ?? NEW
  const save = useMutation({
    mutationFn: async () => {
      const target = id === NEW ? (await addPortfolio(title)).id : id
      // If the parcel is refused, the next attempt does not add another portfolio.
      setChosen(target)
      return putParcel(target, name, draft.note, readTags(draft.tags))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['portfolios'] }),
  })
  return (
    <Dialog title="Save this parcel" isSaved={save.isSuccess} onClose={onClose}>
      <Loaded query={portfolios} what="your portfolios">
        {() => (
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault()
              save.mutate()
            }}
          >
            <Field label="Portfolio" hint="Everyone who uses your account sees it.">
              {(given) => (
                <select {...given} value={id} onChange={({ target }) => setChosen(target.value)}>
                  {known.map((portfolio) => (
                    <option key={portfolio.id} value={portfolio.id}>
                      {portfolio.name}
                    </option>
                  ))}
                  <option value={NEW}>A new portfolio</option>
                </select>
              )}
            </Field>
            {id === NEW && <NameField label="Name of the new portfolio" value={title} onChange={setTitle} />}
            <NoteFields {...draft} onChange={(changed) => setDraft({ ...draft, ...changed })} />
            {save.data && (
              <Notice tone="good">
                Saved in <Link href={`/app/portfolios/${save.data.id}`}>{save.data.name}</Link>.
              </Notice>
            )}
            <Trouble error={save.error} />
            <div className="dialog-foot">
              <Button onClick={onClose}>{save.data ? 'Close' : 'Cancel'}</Button>
              <Button type="submit" kind="primary" isBusy={save.isPending} disabled={save.isSuccess}>
                Save
              </Button>
            </div>
          </form>
        )}
      </Loaded>
    </Dialog>
  )
}
