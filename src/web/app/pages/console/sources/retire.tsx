import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, at } from '../../../api/api'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Time } from '../../../ui/time'

/** Retires a source after a question. */
export const RetireButton = ({ source }: { source: string }) => {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const retire = useMutation({
    mutationFn: () => ask(api.v1.sources({ source: at(source) }).delete()),
    onSuccess: async () => {
      setAsking(false)
      await queries.invalidateQueries()
    },
  })
  return (
    <>
      <Button kind="danger" onClick={() => setAsking(true)}>
        Retire
      </Button>
      {isAsking && (
        <Confirm
          title={`Retire ${source}?`}
          action="Retire it"
          isBusy={retire.isPending}
          error={retire.error}
          onConfirm={() => retire.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Its parcels disappear from search, map and lists, and it is no longer scraped. Its queued and running jobs
            are cancelled. Nothing is deleted: you can restore it at any time.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** That a source is retired, and a button to restore it. */
export const RetiredNotice = ({ source, at: retiredAt }: { source: string; at: string }) => {
  const queries = useQueryClient()
  const restore = useMutation({
    mutationFn: () => ask(api.v1.sources({ source: at(source) }).restore.post()),
    onSuccess: () => queries.invalidateQueries(),
  })
  return (
    <Notice tone="warn">
      <span>
        This source was retired <Time at={retiredAt} />. Its parcels are only in the history.{' '}
        <Button className="small" isBusy={restore.isPending} onClick={() => restore.mutate()}>
          Restore it
        </Button>
      </span>
      <Trouble error={restore.error} />
    </Notice>
  )
}
