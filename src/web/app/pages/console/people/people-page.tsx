import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useAddressText } from '../../../address'
import { formatCount } from '../../../format'
import { useViewer } from '../../../session/viewer'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { DataTable } from '../../../ui/data-table'
import { SearchField } from '../../../ui/form/search-field'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Time } from '../../../ui/time'
import { ConsolePage } from '../console-page'
import { changePerson, listPeople, type Person, type PersonChange, removePerson } from './people-api'

interface Change {
  id: string
  email: string
  change: PersonChange
  /** The change that takes it back. Absent: it takes back another one. */
  undo?: PersonChange
}

const describeChange = ({ role, plan }: PersonChange): string =>
  role === undefined ? `now on the ${plan} plan` : role === 'admin' ? 'now an admin' : 'no longer an admin'

/** Accounts with their roles and plans. */
export const PeoplePage = () => {
  const { account: me } = useViewer()
  const queries = useQueryClient()
  const words = useAddressText('find')
  const [removed, setRemoved] = useState<Person | null>(null)
  const [asked, setAsked] = useState<Person | null>(null)
  const people = useInfiniteQuery({
    queryKey: ['people', words],
    queryFn: ({ signal, pageParam }) =>
      listPeople(
        {
          limit: 100,
          ...(words.trim() === '' ? {} : { q: words.trim() }),
          ...(pageParam === null ? {} : { after: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: ['people'] })
    void queries.invalidateQueries({ queryKey: ['account'] })
  }
  const change = useMutation({
    mutationFn: ({ id, change }: Change) => changePerson(id, change),
    onSuccess: () => {
      setAsked(null)
      refresh()
    },
  })
  const remove = useMutation({
    mutationFn: removePerson,
    onSuccess: () => {
      setRemoved(null)
      refresh()
    },
  })
  const rows = people.data?.pages.flatMap((page) => page.accounts) ?? []
  const isBusy = (id: string) => change.isPending && change.variables.id === id
  const closeQuestion = () => {
    change.reset()
    setAsked(null)
  }
  return (
    <ConsolePage
      title="People"
      lead="Accounts with their roles and plans. On the paid plan, people and their keys can request scrapes and export parcels. The last admin cannot be demoted."
    >
      <div className="filters">
        <SearchField label="Find" placeholder="Name or email" name="find" />
      </div>
      <Trouble error={asked === null ? change.error : null} />
      {change.isSuccess && change.variables.undo !== undefined && (
        <Notice tone="good">
          <span className="row">
            {change.variables.email}: {describeChange(change.variables.change)}.
            <Button
              className="small"
              onClick={() => {
                const { id, email, undo } = change.variables
                if (undo !== undefined) change.mutate({ id, email, change: undo })
              }}
            >
              Undo
            </Button>
          </span>
        </Notice>
      )}
      <Loaded query={people} what="the people">
        {() => (
          <>
            <DataTable
              label="People"
              rows={rows}
              keyOf={({ id }) => id}
              empty="No accounts match this filter."
              columns={[
                {
                  name: 'Person',
                  isHead: true,
                  cell: ({ id, name, email }) => (
                    <>
                      {name ?? email} {id === me?.id && <Badge>you</Badge>}
                      {name !== null && <span className="cell-note">{email}</span>}
                    </>
                  ),
                },
                {
                  name: 'Role',
                  cell: ({ role }) => (role === 'admin' ? <Badge tone="good">admin</Badge> : <Badge>member</Badge>),
                },
                { name: 'Plan', cell: ({ plan }) => plan },
                { name: 'Valid keys', isNumber: true, cell: ({ keys }) => formatCount(keys) },
                { name: 'Joined', cell: ({ created_at }) => <Time at={created_at} /> },
                { name: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
                {
                  name: 'Actions',
                  cell: (person) => (
                    <span className="row nowrap">
                      <Button
                        className="small"
                        isBusy={isBusy(person.id)}
                        aria-label={`${person.role === 'admin' ? 'Demote' : 'Promote'} ${person.email}`}
                        onClick={() => setAsked(person)}
                      >
                        {person.role === 'admin' ? 'Demote' : 'Promote'}
                      </Button>
                      <Button
                        className="small"
                        isBusy={isBusy(person.id)}
                        aria-label={`To the ${person.plan === 'paid' ? 'free' : 'paid'} plan: ${person.email}`}
                        onClick={() =>
                          change.mutate({
                            ...{ id: person.id, email: person.email, undo: { plan: person.plan } },
                            change: { plan: person.plan === 'paid' ? 'free' : 'paid' },
                          })
                        }
                      >
                        {person.plan === 'paid' ? 'To the free plan' : 'To the paid plan'}
                      </Button>
                      <Button
                        className="small"
                        kind="danger"
                        aria-label={`Remove ${person.email}`}
                        onClick={() => setRemoved(person)}
                      >
                        Remove
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
            {people.hasNextPage && (
              <Button isBusy={people.isFetchingNextPage} onClick={() => people.fetchNextPage()}>
                Show more
              </Button>
            )}
          </>
        )}
      </Loaded>
      {asked !== null && (
        <Confirm
          title={
            asked.role === 'admin'
              ? `Remove the admin role from ${asked.id === me?.id ? 'yourself' : asked.email}?`
              : `Make ${asked.email} an admin?`
          }
          action={asked.role === 'admin' ? 'Demote' : 'Promote'}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() =>
            change.mutate({
              ...{ id: asked.id, email: asked.email, undo: { role: asked.role } },
              change: { role: asked.role === 'admin' ? 'member' : 'admin' },
            })
          }
          onClose={closeQuestion}
        >
          <p>
            {asked.role !== 'admin'
              ? 'Admins see every account, change sources and vendors, and apply or undo loads.'
              : asked.id === me?.id
                ? 'You lose access to the console with your next request. Only another admin can restore it.'
                : 'They lose access to the console with their next request.'}
          </p>
        </Confirm>
      )}
      {removed !== null && (
        <Confirm
          title={`Remove ${removed.email}?`}
          action="Remove the account"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(removed.id)}
          onClose={() => {
            remove.reset()
            setRemoved(null)
          }}
        >
          <p>This ends their sessions and revokes their keys.</p>
        </Confirm>
      )}
    </ConsolePage>
  )
}
