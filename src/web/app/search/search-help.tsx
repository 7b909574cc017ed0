import { signInPath } from '../session/account-api'
import { useViewer } from '../session/viewer'

/** What can be typed, and what it takes, before anything is. */
export const SearchHelp = ({ onExample }: { onExample: (q: string) => void }) => {
  const { canRead, isKnown } = useViewer()
  if (!isKnown) return null
  if (!canRead) {
    return (
      <section className="search-help">
        <h2>Search US land parcels</h2>
        <p>
          Owners, addresses, companies and parcel ids, with typos and all. Sign in, or use an API key, and begin to
          type.
        </p>
        <p>
          <a className="button primary" href={signInPath()}>
            Sign in
          </a>
        </p>
      </section>
    )
  }
  return (
    <section className="search-help">
      <h2>Type what you know</h2>
      <ul>
        <li>
          An owner, as in <Example q="jnuiper" onExample={onExample} />: typos are forgiven.
        </li>
        <li>
          An address, as far as you have it: <Example q="12 alder st" onExample={onExample} />.
        </li>
        <li>
          A parcel id, with or without its dashes: <Example q="12-0001-0010" onExample={onExample} />.
        </li>
        <li>
          A state at the end narrows it: <Example q="alder oregon" onExample={onExample} />.
        </li>
      </ul>
      <p className="quiet small">
        <kbd>↑</kbd> <kbd>↓</kbd> go through the hits, <kbd>→</kbd> unfolds an owner, <kbd>Enter</kbd> opens.
      </p>
    </section>
  )
}

const Example = ({ q, onExample }: { q: string; onExample: (q: string) => void }) => (
  <button type="button" className="link" onClick={() => onExample(q)}>
    {q}
  </button>
)
