import { Link } from 'wouter'
import { KeyForm } from '../../session/key-form'
import { SignInLink } from '../../session/sign-in-link'
import { useViewer } from '../../session/viewer'
import { Spinner } from '../../ui/spinner'

/** What a person can search for, shown while the text field is empty. */
export const SearchHelp = ({ onExample }: { onExample: (q: string) => void }) => {
  const { canRead, isKnown } = useViewer()
  if (!isKnown) return <Spinner label="Loading" />
  if (!canRead) {
    return (
      <section className="search-help">
        <h2>Search US land parcels</h2>
        <p>Find owners, addresses, companies and parcel ids, even with typos. Sign in or use an API key to start.</p>
        <p>
          <SignInLink className="button primary">Sign in</SignInLink>
        </p>
        <KeyForm />
        <p>
          <Link href="/app/coverage">See which counties are covered</Link>
        </p>
      </section>
    )
  }
  return (
    <section className="search-help">
      <h2>What you can search for</h2>
      <ul>
        <li>
          An owner, as in <Example q="jnuiper" onExample={onExample} />: typos are fine.
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
        <kbd>↑</kbd> <kbd>↓</kbd> select a hit, <kbd>→</kbd> expands an owner, <kbd>Enter</kbd> opens the hit.
      </p>
    </section>
  )
}

const Example = ({ q, onExample }: { q: string; onExample: (q: string) => void }) => (
  <button type="button" className="link" onClick={() => onExample(q)}>
    {q}
  </button>
)

/** Shown if the filters alone select too many parcels to list. */
export const WideHelp = () => (
  <p className="search-help">
    Choose a county, draw an area, or search this part of the map to see the parcels that meet the filters.
  </p>
)

/** Shown beside the map while nothing is searched for. */
export const MapHelp = () => {
  const { canRead, isKnown } = useViewer()
  if (!isKnown) return <Spinner label="Loading" />
  if (!canRead) return <SignInToSearch />
  return (
    <section className="search-help quiet small">
      <p>Search for a parcel, or click one on the map to see its details.</p>
      <p className="map-keys">
        With the keyboard on the map, the arrow keys move it, <kbd>+</kbd> and <kbd>-</kbd> zoom, and <kbd>Enter</kbd>{' '}
        opens the parcel in the middle.
      </p>
    </section>
  )
}

const SignInToSearch = () => (
  <section className="search-help">
    <p>Sign in or use an API key to search and to see the details of a parcel.</p>
    <p>
      <SignInLink className="button primary">Sign in</SignInLink>
    </p>
    <KeyForm />
  </section>
)
