import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { formatCount } from '../format'
import { useViewer } from '../session/viewer'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Confirm } from '../ui/confirm'
import { DataTable } from '../ui/data-table'
import { Loaded, Trouble } from '../ui/loaded'
import { SearchField } from '../ui/search-field'
import { Time } from '../ui/time'
import { ConsolePage } from './console-page'
import { changePerson, listPeople, type Person, type PersonChange, removePerson } from './people-api'

/** Accounts with their roles and plans. */
export const PeoplePage = () => {
  const { account: me } = useViewer()
  const queries = useQueryClient()
  const [words, setWords] = useState('')
  const [removed, setRemoved] = useState<Person | null>(null)
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
    mutationFn: ({ id, change }: { id: string; change: PersonChange }) => changePerson(id, change),
    onSuccess: refresh,
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
  return (
    <ConsolePage title="People" lead="Accounts with their roles and plans. The last admin cannot be demoted.">
      <div className="filters">
        <SearchField label="Find" placeholder="Name or email" value={words} onChange={setWords} />
      </div>
      <Trouble error={change.error} />
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
                { name: 'Live keys', isNumber: true, cell: ({ keys }) => formatCount(keys) },
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
                        onClick={() =>
                          change.mutate({
                            id: person.id,
                            change: { role: person.role === 'admin' ? 'member' : 'admin' },
                          })
                        }
                      >
                        {person.role === 'admin' ? 'Demote' : 'Promote'}
                      </Button>
                      <Button
                        className="small"
                        isBusy={isBusy(person.id)}
                        aria-label={`To the ${person.plan === 'paid' ? 'free' : 'paid'} plan: ${person.email}`}
                        onClick={() =>
                          change.mutate({ id: person.id, change: { plan: person.plan === 'paid' ? 'free' : 'paid' } })
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
