import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { fetchNext } from '../../api/fetch-next'
import { formatCount } from '../../format'
import { Button } from '../button'
import { Trouble } from '../loaded'

interface Props {
  /** How many rows are shown. */
  count: number
  list: Pick<
    UseInfiniteQueryResult,
    'data' | 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError' | 'fetchNextPage' | 'error'
  >
}

/** Below the newest rows of a list whose total is not known: how many are shown, and a button for older ones. An empty table says so itself. */
export const OlderRows = ({ count, list }: Props) =>
  count > 0 && (
    <>
      <Trouble error={list.isFetchNextPageError ? list.error : null} />
      <div className="row">
        <span className="quiet small">
          {list.hasNextPage ? `The newest ${formatCount(count)} are shown` : `${formatCount(count)} shown`}
        </span>
        {list.hasNextPage && (
          <Button isBusy={list.isFetchingNextPage} onClick={() => fetchNext(list)}>
            Show older ones
          </Button>
        )}
      </div>
    </>
  )
