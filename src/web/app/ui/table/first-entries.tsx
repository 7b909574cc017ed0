import { type ReactNode, useState } from 'react'
import { formatCount } from '../../format'
import { Button } from '../button'

/** The first entries of a list that can be long. `showAll` is the button for the others, to be shown below the list. */
export const useFirstEntries = <Entry,>(
  entries: readonly Entry[],
  first: number,
): { shown: readonly Entry[]; showAll: ReactNode } => {
  const [showsAll, setShowsAll] = useState(false)
  if (showsAll || entries.length <= first) return { shown: entries, showAll: null }
  return {
    shown: entries.slice(0, first),
    showAll: (
      <div className="row">
        <span className="quiet small">
          {formatCount(first)} of {formatCount(entries.length)} shown
        </span>
        <Button className="small" onClick={() => setShowsAll(true)}>
          Show all {formatCount(entries.length)}
        </Button>
      </div>
    ),
  }
}
