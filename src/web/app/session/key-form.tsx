import { useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { Button } from '../ui/button'
import { keepKey } from './key'
import { useViewer } from './viewer'

/** A field for an API key, used from this tab until it closes. */
export const KeyForm = ({ onDone }: { onDone?: () => void }) => {
  const { key } = useViewer()
  const queries = useQueryClient()
  const id = useId()
  const use = (chosen: string | null) => {
    keepKey(chosen)
    queries.clear()
    onDone?.()
  }
  return (
    <form
      className="key-form"
      onSubmit={(event) => {
        event.preventDefault()
        use(String(new FormData(event.currentTarget).get('key')).trim())
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
          aria-describedby={`${id}-note`}
        />
        <Button type="submit">Use</Button>
      </div>
      <p id={`${id}-note`} className="quiet small">
        The key stays in this tab until you close it.
      </p>
      {key && <Button onClick={() => use(null)}>Forget the key</Button>}
    </form>
  )
}
