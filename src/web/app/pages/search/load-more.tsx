import { type RefObject, useEffect, useRef } from 'react'
import { formatCount } from '../../format'
import { Button } from '../../ui/button'
import type { Results } from './results'

/** Loads the next page when the element, at the end of the hits, is scrolled into view. */
export const useLoadMore = <Kind extends Element>({ hasMore, loadMore, hits }: Results): RefObject<Kind | null> => {
  const end = useRef<Kind>(null)
  const latest = useRef(loadMore)
  latest.current = loadMore
  const count = hits.length
  useEffect(() => {
    if (end.current === null || !hasMore || count === 0) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current()
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [hasMore, count])
  return end
}

/** For those who do not scroll. */
export const LoadMore = ({ results: { hasMore, isLoadingMore, loadMore, hits } }: { results: Results }) =>
  hasMore && (
    <div className="load-more">
      <Button kind="quiet" isBusy={isLoadingMore} onClick={loadMore}>
        {isLoadingMore ? 'Loading more' : `Show more than ${formatCount(hits.length)}`}
      </Button>
    </div>
  )
