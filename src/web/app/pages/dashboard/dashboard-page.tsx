import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Account } from '../../session/account-api'
import { SignInLink } from '../../session/sign-in-link'
import { useViewer } from '../../session/viewer'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Confirm } from '../../ui/confirm'
import { CopyButton } from '../../ui/copy-button'
import { Dialog } from '../../ui/dialog'
import { NameField } from '../../ui/form/name-field'
import { Loaded, Trouble } from '../../ui/loaded'
import { Notice } from '../../ui/notice'
import { Page } from '../../ui/page/page'
import { Spinner } from '../../ui/spinner'
import { DataTable } from '../../ui/table/data-table'
import { Time } from '../../ui/time'
import { type AccountKey, issueAccountKey, listAccountKeys, revokeAccountKey } from './key-api'

/** A signed-in person's keys, and their plan. */
export const DashboardPage = () => {
  const { account, isKnown } = useViewer()
  const [isIssuing, setIssuing] = useState(false)
  return (
    <Page
      title="Your keys"
      lead="Programs that call the API send a key as X-Service-Key."
      actions={
        account && (
          <Button kind="primary" onClick={() => setIssuing(true)}>
            New key
          </Button>
        )
      }
    >
      {!isKnown && <Spinner label="Loading" />}
      {isKnown && account === null && (
        <Notice tone="warn">
          <SignInLink>Sign in</SignInLink> to see your keys.
        </Notice>
      )}
      {account && <Keys account={account} />}
      {account && isIssuing && <IssueKey account={account} onClose={() => setIssuing(false)} />}
    </Page>
  )
}

const Keys = ({ account }: { account: Account }) => {
  const queries = useQueryClient()
  const keys = useQuery({ queryKey: ['account-keys'], queryFn: ({ signal }) => listAccountKeys(signal) })
  const [revoked, setRevoked] = useState<AccountKey | null>(null)
  const revoke = useMutation({
    mutationFn: (id: string) => revokeAccountKey(id),
    onSuccess: () => {
      setRevoked(null)
      return queries.invalidateQueries({ queryKey: ['account-keys'] })
    },
  })
  const due = keys.data?.keys.filter(({ rotation_due }) => rotation_due) ?? []
  return (
    <>
      <section className="card plan">
        <div>
          <h2>{account.plan === 'paid' ? 'Paid plan' : 'Free plan'}</h2>
          <p className="quiet">
            {account.plan === 'paid'
              ? 'Your keys can read everything, request scrapes and export parcels.'
              : 'Your keys can read everything. To request scrapes or export parcels, you need the paid plan. Ask an admin for it.'}
          </p>
        </div>
        <Badge tone={account.plan === 'paid' ? 'good' : 'plain'}>{account.plan}</Badge>
      </section>
      {due.length > 0 && (
        <Notice tone="warn">
          {due.length === 1 ? `“${due[0]?.name}” is` : `${due.length} keys are`} older than 90 days. Issue a new one,
          move your programs to it, then revoke the old.
        </Notice>
      )}
      <Loaded query={keys} what="your keys">
        {({ keys }) => (
          <DataTable
            label="Your keys"
            rows={keys}
            keyOf={({ id }) => id}
            toneOf={({ rotation_due }) => (rotation_due ? 'warn' : null)}
            empty="You have no keys yet."
            columns={[
              { name: 'Name', isHead: true, sortBy: ({ name }) => name, cell: ({ name }) => name },
              {
                name: 'Capabilities',
                cell: ({ capabilities }) => capabilities.map((name) => MAY[name] ?? name).join(', '),
              },
              {
                name: 'Issued',
                sortBy: ({ created_at }) => created_at,
                cell: ({ created_at }) => <Time at={created_at} />,
              },
              {
                name: 'Last used',
                sortBy: ({ last_used_at }) => last_used_at,
                cell: ({ last_used_at }) =>
                  last_used_at === null ? <span className="quiet">never</span> : <Time at={last_used_at} />,
              },
              {
                name: 'Status',
                cell: ({ revoked_at, rotation_due }) =>
                  revoked_at !== null ? (
                    <Badge>
                      revoked <Time at={revoked_at} />
                    </Badge>
                  ) : rotation_due ? (
                    <Badge tone="warn">replace soon</Badge>
                  ) : (
                    <Badge tone="good">valid</Badge>
                  ),
              },
              {
                name: 'Actions',
                cell: (key) =>
                  key.revoked_at === null && (
                    <Button
                      kind="danger"
                      className="small"
                      aria-label={`Revoke ${key.name}`}
                      onClick={() => setRevoked(key)}
                    >
                      Revoke
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {revoked !== null && (
        <Confirm
          title={`Revoke “${revoked.name}”?`}
          action="Revoke"
          isBusy={revoke.isPending}
          error={revoke.error}
          onConfirm={() => revoke.mutate(revoked.id)}
          onClose={() => setRevoked(null)}
        >
          <p>The service will refuse the next request with this key. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  )
}

/** What a key may do, in words. */
const MAY: Readonly<Record<string, string>> = { enqueue: 'request scrapes', 'bulk-export': 'export parcels' }

const IssueKey = ({ account, onClose }: { account: Account; onClose: () => void }) => {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [mayEnqueue, setMayEnqueue] = useState(false)
  const [mayExport, setMayExport] = useState(false)
  const issue = useMutation({
    mutationFn: () => {
      const capabilities = [
        ...(mayEnqueue ? (['enqueue'] as const) : []),
        ...(mayExport ? (['bulk-export'] as const) : []),
      ]
      return issueAccountKey({ name: name.trim(), ...(capabilities.length === 0 ? {} : { capabilities }) })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['account-keys'] }),
  })
  if (issue.data !== undefined) {
    return (
      <Dialog
        key="issued"
        title="Your new key"
        loses="The key is shown only once. Have you copied it?"
        onClose={onClose}
      >
        <Notice tone="warn">Copy the key now. It is shown only once.</Notice>
        <code className="secret" data-testid="new-key">
          {issue.data.key}
        </code>
        <div className="dialog-foot">
          <CopyButton text={issue.data.key} label="Copy the key" />
          <Button kind="primary" onClick={onClose}>
            I have it
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          issue.mutate()
        }}
      >
        <NameField hint="What the key is for." value={name} onChange={setName} />
        {account.plan === 'paid' ? (
          <>
            <label className="checkbox">
              <input type="checkbox" checked={mayEnqueue} onChange={({ target }) => setMayEnqueue(target.checked)} />
              May request scrapes
            </label>
            <label className="checkbox">
              <input type="checkbox" checked={mayExport} onChange={({ target }) => setMayExport(target.checked)} />
              May export parcels in bulk
            </label>
          </>
        ) : null}
        <Trouble error={issue.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={issue.isPending} disabled={name.trim() === ''}>
            Issue the key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
