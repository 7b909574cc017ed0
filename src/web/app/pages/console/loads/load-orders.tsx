import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { countNoun } from '../../../../../../core/text/count-noun'
import { formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { Progress } from '../../../ui/progress'
import { type FollowedLoad, type Load, type LoadAction, type LoadWork, orderOnLoad } from './load-api'

/** What an admin can do with a load, or the progress of the work on it. */
export const LoadOrders = ({ load, work, refresh }: FollowedLoad & { refresh: () => Promise<void> }) => {
  const [wanted, setWanted] = useState<Order | null>(null)
  if (work !== null || load.status === 'applying') {
    return (
      <div aria-live="polite">
        <WorkProgress load={load} work={work} />
      </div>
    )
  }
  const orders = listOrders(load)
  if (orders.length === 0) return null
  return (
    <div className="row">
      {orders.map((order) => (
        <Button
          key={order}
          {...(order === 'discard' ? { kind: 'danger' } : order === 'apply' ? { kind: 'primary' } : {})}
          className={load.status === 'held' ? '' : 'small'}
          {...(load.status === 'held' ? {} : { 'aria-label': `${ORDERS[order].name}: ${load.file ?? load.id}` })}
          onClick={() => setWanted(order)}
        >
          {ORDERS[order].name}
        </Button>
      ))}
      {wanted !== null && <ConfirmOrder load={load} order={wanted} refresh={refresh} onClose={() => setWanted(null)} />}
    </div>
  )
}

type Order = LoadAction | 'applyAgain'

const listOrders = ({ status, can_apply }: Load): Order[] => {
  if (status === 'held') return can_apply ? ['apply', 'discard'] : ['discard']
  if (status === 'failed') return can_apply ? ['applyAgain', 'undo'] : ['undo']
  return status === 'applied' ? ['undo'] : []
}

const ORDERS: Record<Order, { name: string; title: string; action: string; text: string }> = {
  apply: {
    name: 'Apply',
    title: 'Apply this load?',
    action: 'Apply it',
    text: 'All its changes become visible. You can undo it later on the page of the source.',
  },
  applyAgain: {
    name: 'Apply again',
    title: 'Apply this load again?',
    action: 'Apply it again',
    text: 'It continues where it stopped, and the rest of its changes becomes visible. You can undo all of it later.',
  },
  discard: {
    name: 'Discard',
    title: 'Discard this load?',
    action: 'Discard it',
    text: 'None of it becomes visible. To get it again, load the file or scrape the source again.',
  },
  undo: {
    name: 'Undo',
    title: 'Undo this load?',
    action: 'Undo it',
    text: 'This restores the former value of every field that it changed. Parcels that it created are retired, and parcels that it retired return. Fields that were changed again later keep their values.',
  },
}

const ConfirmOrder = ({
  load,
  order,
  refresh,
  onClose,
}: {
  load: Load
  order: Order
  refresh: () => Promise<void>
  onClose: () => void
}) => {
  const give = useMutation({
    mutationFn: async () => {
      await orderOnLoad[order === 'applyAgain' ? 'apply' : order](load.id)
    },
    onSuccess: async () => {
      await refresh()
      onClose()
    },
  })
  const { title, action, text } = ORDERS[order]
  return (
    <Confirm
      title={title}
      action={action}
      isBusy={give.isPending}
      error={give.error}
      onConfirm={() => give.mutate()}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  )
}

const WorkProgress = ({ load, work }: { load: Load; work: LoadWork | null }) => {
  if (work === null || !work.isRunning) return <Progress label="Waiting for a worker" share={null} />
  if (work.action === 'undo') return <Progress label={`${countNoun(work.done, 'parcel')} undone`} share={null} />
  const { inserted, updated, unchanged, retired } = load.counts ?? NO_COUNTS
  const total = inserted + updated + unchanged + retired
  return (
    <Progress
      label={`${formatCount(work.done)} of ${countNoun(total, 'parcel')}`}
      share={total === 0 ? null : Math.min(1, work.done / total)}
    />
  )
}

const NO_COUNTS = { inserted: 0, updated: 0, unchanged: 0, retired: 0 }
