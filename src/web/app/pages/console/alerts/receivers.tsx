import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { repeatEvery } from '../../../api/queries'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { AddWatch } from '../../watches/add-watch'
import { describeState, testWatch } from '../../watches/watch-api'
import { listReceivers } from './alert-api'

/** The webhooks that get messages about alerts. */
export const Receivers = () => {
  const queries = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const receivers = useQuery({
    queryKey: ['watches', 'alerts'],
    queryFn: ({ signal }) => listReceivers(signal),
    refetchInterval: repeatEvery(10_000),
  })
  const test = useMutation({
    mutationFn: testWatch,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['watches'] }),
  })
  return (
    <>
      <div className="row">
        <Button onClick={() => setAdding(true)}>Add a webhook</Button>
        <span className="quiet small">It gets one request when an alert is raised, and one when it ends.</span>
      </div>
      <Trouble error={test.error} />
      {test.isSuccess && <Notice tone="good">A test message is being sent. The state below shows the result.</Notice>}
      <Loaded query={receivers} what="the webhooks">
        {(rows) => (
          <DataTable
            label="Webhooks for alerts"
            rows={rows}
            keyOf={({ id }) => id}
            toneOf={(watch) => (describeState(watch).tone === 'bad' ? 'bad' : null)}
            empty="No webhook gets messages about alerts yet. Add one, for example that of your chat or paging service."
            columns={[
              {
                name: 'Webhook',
                isHead: true,
                cell: ({ id, webhook_url, last_error }) => (
                  <>
                    <Link href={`/app/watches/${id}`} className="cell-words">
                      {webhook_url ?? 'no webhook, log only'}
                    </Link>
                    {last_error !== null && <span className="cell-note">{last_error}</span>}
                  </>
                ),
              },
              {
                name: 'Status',
                cell: (watch) => {
                  const { tone, text } = describeState(watch)
                  return <Badge tone={tone}>{text}</Badge>
                },
              },
              { name: 'Last delivered', cell: ({ last_delivered_at }) => <Time at={last_delivered_at} /> },
              { name: 'Added by', cell: ({ created_by }) => created_by },
              {
                name: 'Actions',
                cell: ({ id, webhook_url, active }) =>
                  webhook_url !== null &&
                  active && (
                    <Button
                      className="small"
                      aria-label={`Send a test message to ${webhook_url}`}
                      isBusy={test.isPending && test.variables === id}
                      onClick={() => test.mutate(id)}
                    >
                      Send a test message
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {isAdding && <AddWatch target={{ kind: 'alerts' }} onClose={() => setAdding(false)} />}
    </>
  )
}
