import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { Refusal } from '../api/api'
import { Button } from '../ui/button'
import { checkKey } from './check-key'
import { useChooseKey } from './choose-key'
import { useViewer } from './viewer'

/** A field for an API key, used from this tab until it closes. The service checks the key before it is kept. */
export const KeyForm = ({ onDone }: { onDone?: () => void }) => {
  const { key } = useViewer()
  const choose = useChooseKey()
  const id = useId()
  const use = (chosen: string | null) => {
    choose(chosen)
    onDone?.()
  }
  const check = useMutation({ mutationFn: checkKey, onSuccess: use })
  return (
    <form
      className="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        check.mutate(String(new FormData(event.currentTarget).get('key')).trim())
      }}
    >
      <label htmlFor={id}>{key ? 'Use another API key' : 'Use an API key'}</label>
      <div className="row">
        <input
          id={id}
          name="key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          required
          aria-describedby={`${id}-note${check.isError ? ` ${id}-error` : ''}`}
          aria-invalid={check.isError || undefined}
        />
        <Button type="submit" isBusy={check.isPending}>
          Use
        </Button>
      </div>
      {check.isError && (
        <span id={`${id}-error`} className="field-error" role="alert">
          {check.error instanceof Refusal && check.error.status === 401
            ? 'This key is not valid. Check it for a typo.'
            : check.error.message}
        </span>
      )}
      <p id={`${id}-note`} className="quiet small">
        The key stays in this tab until you close it.
      </p>
      {key && <Button onClick={() => use(null)}>Forget the key</Button>}
    </form>
  )
}
