import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, ask, at } from '../../../api/api'
import { serverNow } from '../../../api/server-clock'
import { Button } from '../../../ui/button'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Time } from '../../../ui/time'

interface Activated {
  source: string
  next_due_at: string
}

/** When a source that was activated is refreshed, and a button to do it now. */
export const Activation = ({ source, next_due_at }: Activated) => {
  const queries = useQueryClient()
  // The scheduler starts what is due within seconds.
  const start = useMutation({
    mutationFn: () =>
      ask(
        api.v1['source-refresh-policies']({ source: at(source) }).patch({
          next_due_at: new Date(serverNow()).toISOString(),
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
  if (start.isSuccess) {
    return <Notice tone="good">{source} is due now: the scheduler starts its refresh within seconds.</Notice>
  }
  return (
    <Notice>
      <span>
        {source} is active. It will be refreshed <Time at={next_due_at} />.{' '}
        <Button className="small" isBusy={start.isPending} onClick={() => start.mutate()}>
          Refresh now
        </Button>
      </span>
      <Trouble error={start.error} />
    </Notice>
  )
}
