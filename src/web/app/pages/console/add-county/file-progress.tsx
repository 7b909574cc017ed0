import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Progress } from '../../../ui/progress'
import { loadPath } from '../loads/load-path'
import { cancelWork, type FileWork, type LoadResult } from './file-api'
import { RejectReasons } from './map-fields'

/** The progress of work on a file, which can be cancelled. */
export const FileProgress = ({ work }: { work: FileWork | undefined }) => {
  const cancel = useMutation({ mutationFn: cancelWork })
  const { status = 'queued', done = 0, total = null, result = {}, waits_until = null, error_message } = work ?? {}
  const share = total === null || total === 0 ? null : Math.min(1, done / total)
  const label =
    status === 'queued'
      ? 'Waiting for a worker'
      : result.step === 'fetching' || total === null
        ? 'Fetching the file'
        : share === 1
          ? 'Comparing and storing'
          : 'Reading the file'
  return (
    <div className="stack" aria-live="polite">
      {waits_until !== null && error_message && (
        <Notice tone="warn">It failed and will be retried: {error_message}</Notice>
      )}
      <Progress label={label} share={status === 'queued' || share === 1 ? null : share} />
      <Trouble error={cancel.error} />
      {work && (
        <div className="row">
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate(work.id)}>
            Cancel
          </Button>
        </div>
      )}
    </div>
  )
}

/** How many parcels a load has of each kind, without those that it has none of. */
const describeCounts = ({ inserted = 0, updated = 0, unchanged = 0, retired = 0, rejected = 0 }: LoadResult): string =>
  (
    [
      [inserted, 'new'],
      [updated, 'changed'],
      [unchanged, 'unchanged'],
      [retired, 'retired'],
      [rejected, rejected === 1 ? 'row rejected' : 'rows rejected'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${formatCount(count)} ${what}`)
    .join(', ') || 'no parcels'

/** How the load of a file ended. */
export const FileOutcome = ({ work, source }: { work: FileWork; source: string }) => {
  const { result, error_message } = work
  const { status, load_id, rejects = [], warnings = [] } = result
  const counts = describeCounts(result)
  return (
    <div className="stack">
      {work.status === 'error' && <Notice tone="bad">Nothing was loaded: {error_message}</Notice>}
      {status === 'applied' && <Notice tone="good">The file is loaded: {counts}.</Notice>}
      {status === 'unchanged' && <Notice>The file has not changed since the last load.</Notice>}
      {status === 'held' && (
        <Notice tone="warn">
          The load is held, because it would change too much: {counts}. None of it is visible. Look at the reasons, then
          apply or discard it.
        </Notice>
      )}
      {load_id !== undefined && (
        <p>
          <Link href={loadPath(source, load_id)}>
            {status === 'held' ? 'Why it is held, and what to do' : 'What the load changed, and how to undo it'}
          </Link>
        </p>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <RejectReasons rejects={rejects} />
      {rejects.length > 0 && (
        <p>
          <a href={`/v1/work/${work.id}/rejects`} download>
            Download the rejected rows (CSV)
          </a>
        </p>
      )}
    </div>
  )
}
