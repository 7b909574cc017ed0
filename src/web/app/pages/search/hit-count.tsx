import { countNoun } from '../../../../../core/text/count-noun'
import { formatCount } from '../../format'
import type { Filters } from './filters/filters'
import { listRows, type Results } from './results'

interface Props {
  results: Results
  filters: Filters
  /** Whether a table shows the hits, instead of a list. */
  isTable: boolean
  isSorted: boolean
}

/** How many hits there are, and what about them is not as the filters say. */
export const HitCount = ({
  results: { total, mode, corrected, hits, hasMore, isPartial },
  filters: { q, conditions },
  isTable,
  isSorted,
}: Props) => {
  if (isPartial && total.count === 0) return `Nothing found for “${q.trim()}” so far: the service is overloaded.`
  if (total.count === 0) return mode === 'text' ? `Nothing found for “${q.trim()}”.` : 'No parcel meets these filters.'
  const count = `${formatCount(total.count)}${total.isExact || mode === 'list' ? '' : '+'}`
  const noun = mode === 'list' ? 'parcel' : 'hit'
  const isAbout = mode === 'list' && !total.isExact && total.count > hits.length
  const found = `${isAbout ? 'about ' : ''}${count} ${total.count === 1 ? noun : `${noun}s`}`
  const rest = mode === 'text' && conditions.area !== undefined ? ' in the bounding box of the area' : ''
  const ignored = mode === 'text' && conditions.changed_since !== undefined ? ', regardless of when they changed' : ''
  const rows = listRows(hits).length
  // The service sends only the best parcels of an owner.
  const unshown = hits.reduce(
    (sum, hit) => sum + (hit.kind === 'owner-group' ? hit.member_count - hit.members.length : 0),
    0,
  )
  return (
    <>
      {found}
      {corrected !== undefined && (
        <>
          {' '}
          for <strong className="corrected">{corrected}</strong>
        </>
      )}
      {rest}
      {ignored}
      {isTable &&
        hits.some(({ kind }) => kind === 'owner-group') &&
        `, ${unshown > 0 ? `${formatCount(rows)} of ${formatCount(rows + unshown)} rows` : countNoun(rows, 'row')} shown`}
      {isTable && isSorted && mode === 'text' && (hasMore || unshown > 0) && ', sorted among these rows only'}
      {isPartial && ', others may be missing'}
    </>
  )
}
