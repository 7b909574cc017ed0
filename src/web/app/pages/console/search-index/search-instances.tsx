import { formatCount, formatDuration } from '../../../format'
import { Button } from '../../../ui/button'
import { type Column, DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import type { Instance } from './search-index-api'

/** Whether work was requested and has not ended. */
export const isRunning = (work: { state: string } | null | undefined): boolean =>
  work?.state === 'requested' || work?.state === 'running'

const describeRebuild = ({ rebuild }: Instance) => {
  if (rebuild === null) return 'never'
  if (rebuild.state === 'requested') return 'queued'
  if (rebuild.state === 'running') return `${formatCount(rebuild.done)} of ${formatCount(rebuild.total)}`
  return rebuild.state === 'failed' ? `failed: ${rebuild.error}` : <Time at={rebuild.finished_at} />
}

/** The instances of Meilisearch: their states, the changes that wait for them, and a button to rebuild each. */
export const SearchInstances = ({
  instances,
  onRebuild,
}: {
  instances: readonly Instance[]
  onRebuild: (instance: string) => void
}) => {
  const columns: Column<Instance>[] = [
    { name: 'Instance', cell: ({ instance }) => instance, sortBy: ({ instance }) => instance, isHead: true },
    { name: 'States', cell: ({ states }) => states },
    {
      name: 'Documents',
      cell: ({ documents }) => (documents === null ? 'no response' : formatCount(documents)),
      sortBy: ({ documents }) => documents,
      isNumber: true,
    },
    {
      name: 'Changes waiting',
      cell: ({ outbox_depth }) => formatCount(outbox_depth),
      sortBy: ({ outbox_depth }) => outbox_depth,
      isNumber: true,
    },
    {
      name: 'Oldest waits',
      cell: ({ outbox_depth, outbox_age_seconds }) =>
        outbox_depth === 0 ? '' : formatDuration(Math.round(outbox_age_seconds * 1_000)),
      sortBy: ({ outbox_age_seconds }) => outbox_age_seconds,
      isNumber: true,
    },
    { name: 'Rebuilt', cell: describeRebuild },
    {
      name: 'Actions',
      cell: ({ instance, rebuild }) => (
        <Button isBusy={isRunning(rebuild)} onClick={() => onRebuild(instance)}>
          Rebuild {instance}
        </Button>
      ),
    },
  ]
  return (
    <section className="card">
      <div className="card-head">
        <h2>Instances of Meilisearch</h2>
      </div>
      <DataTable
        label="Instances of Meilisearch"
        columns={columns}
        rows={[...instances]}
        keyOf={({ instance }) => instance}
        toneOf={({ documents }) => (documents === null ? 'bad' : null)}
        empty="There are no instances."
      />
    </section>
  )
}
