import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { NameField } from '../../ui/form/name-field'
import { Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { saveSearch } from './portfolio-api'

/** A dialog that saves the search of the page's address. */
export const SaveSearch = ({ suggestion, onClose }: { suggestion: string; onClose: () => void }) => {
  const queries = useQueryClient()
  const [name, setName] = useState(suggestion)
  const save = useMutation({
    mutationFn: () => saveSearch(name, location.search.slice(1)),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['saved-searches'] }),
  })
  return (
    <Dialog title="Save this search" isSaved={save.isSuccess} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <NameField hint="Everyone who uses your account sees it." value={name} onChange={setName} />
        {save.isSuccess && (
          <Notice tone="good">
            Saved. It is under <Link href="/app/portfolios">Saved</Link>.
          </Notice>
        )}
        <Trouble error={save.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>{save.isSuccess ? 'Close' : 'Cancel'}</Button>
          <Button type="submit" kind="primary" isBusy={save.isPending} disabled={save.isSuccess || name.trim() === ''}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
