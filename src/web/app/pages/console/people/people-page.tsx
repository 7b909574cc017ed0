import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { useAddressText } from '../../../address'
import { fetchNext } from '../../../api/fetch-next'
import { PAGED } from '../../../api/queries'
import { formatCount } from '../../../format'
import { useViewer } from '../../../session/viewer'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'
import { Confirm } from '../../../ui/confirm'
import { SearchField } from '../../../ui/form/search-field'
import { Loaded, Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { DataTable } from '../../../ui/table/data-table'
import { Time } from '../../../ui/time'
import { ConsolePage } from '../console-page'
import { changePerson, listPeople, type Person, type PersonChange, removePerson } from './people-api'

interface Change {
  id: string
  email: string
  change: PersonChange
  /** The change that undoes this one. Absent: this one is an undo. */
  undo?: PersonChange
}

const describeChange = ({ role, plan }: PersonChange): string =>
  role === undefined ? `now on the ${plan} plan` : role === 'admin' ? 'now an admin' : 'no longer an admin'

/** The people whose name or email contains `words`, newest first. Without words: all people. */
const usePeople = (words: string) =>
  useInfiniteQuery({
    queryKey: ['people', words],
    queryFn: ({ signal, pageParam }) =>
      listPeople(
        { limit: 100, ...(words === '' ? {} : { q: words }), ...(pageParam === null ? {} : { after: pageParam }) },
        signal,
      ),
    ...PAGED,
  })

/** Accounts with their roles and plans. */
export const PeoplePage = () => {
  const { account: me } = useViewer()
  const queries = useQueryClient()
  const words = useAddressText('find')
  const [removed, setRemoved] = useState<Person | null>(null)
  const [asked, setAsked] = useState<Person | null>(null)
  const people = usePeople(words.trim())
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
      {change.isSuccess && <Changed change={change.variables} onUndo={change.mutate} />}
      <Loaded query={people} what="the people">
        {() => (
          <>
            <PeopleTable
              people={people.data?.pages.flatMap((page) => page.accounts) ?? []}
              me={me?.id}
              isBusy={(id) => change.isPending && change.variables.id === id}
              onRole={setAsked}
              onPlan={({ id, email, plan }) =>
                change.mutate({ id, email, undo: { plan }, change: { plan: plan === 'paid' ? 'free' : 'paid' } })
              }
              onRemove={setRemoved}
            />
            <Trouble error={people.isFetchNextPageError ? people.error : null} />
            {people.hasNextPage && (
              <Button isBusy={people.isFetchingNextPage} onClick={() => fetchNext(people)}>
                Show more
              </Button>
            )}
          </>
        )}
      </Loaded>
      {asked !== null && (
        <ConfirmRole
          person={asked}
          isMe={asked.id === me?.id}
          isBusy={change.isPending}
          error={change.error}
          onConfirm={() =>
            change.mutate({
              id: asked.id,
              email: asked.email,
              undo: { role: asked.role },
              change: { role: asked.role === 'admin' ? 'member' : 'admin' },
            })
          }
          onClose={closeQuestion}
        />
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

/** The last change, with a button that undoes it. */
const Changed = ({
  change: { id, email, change, undo },
  onUndo,
}: {
  change: Change
  onUndo: (change: Change) => void
}) =>
  undo !== undefined && (
    <Notice tone="good">
      <span className="row">
        {email}: {describeChange(change)}.
        <Button className="small" onClick={() => onUndo({ id, email, change: undo })}>
          Undo
        </Button>
      </span>
    </Notice>
  )

interface PersonActions {
  isBusy: (id: string) => boolean
  /** Asks whether to promote or demote the person. */
  onRole: (person: Person) => void
  /** Changes the person's plan to the other one. */
  onPlan: (person: Person) => void
  /** Asks whether to remove the person. */
  onRemove: (person: Person) => void
}

/** `me`: the id of the account that looks at them. */
const PeopleTable = ({ people, me, ...actions }: { people: Person[]; me: string | undefined } & PersonActions) => (
  <DataTable
    label="People"
    rows={people}
    keyOf={({ id }) => id}
    empty="No accounts match this filter."
    columns={[
      {
        name: 'Person',
        isHead: true,
        cell: ({ id, name, email }) => (
          <>
            {name ?? email} {id === me && <Badge>you</Badge>}
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
      { name: 'Actions', cell: (person) => <ActionsOfPerson person={person} {...actions} /> },
    ]}
  />
)

const ActionsOfPerson = ({ person, isBusy, onRole, onPlan, onRemove }: { person: Person } & PersonActions) => {
  const { id, email, role, plan } = person
  const roleAction = role === 'admin' ? 'Demote' : 'Promote'
  return (
    <span className="row nowrap">
      <Button
        className="small"
        isBusy={isBusy(id)}
        aria-label={`${roleAction} ${email}`}
        onClick={() => onRole(person)}
      >
        {roleAction}
      </Button>
      <Button
        className="small"
        isBusy={isBusy(id)}
        aria-label={`To the ${plan === 'paid' ? 'free' : 'paid'} plan: ${email}`}
        onClick={() => onPlan(person)}
      >
        {plan === 'paid' ? 'To the free plan' : 'To the paid plan'}
      </Button>
      <Button className="small" kind="danger" aria-label={`Remove ${email}`} onClick={() => onRemove(person)}>
        Remove
      </Button>
    </span>
  )
}

/** Asks before a promotion or a demotion. */
const ConfirmRole = ({
  person: { role, email },
  isMe,
  ...confirm
}: { person: Person; isMe: boolean } & Pick<
  ComponentProps<typeof Confirm>,
  'isBusy' | 'error' | 'onConfirm' | 'onClose'
>) => (
  <Confirm
    title={role === 'admin' ? `Remove the admin role from ${isMe ? 'yourself' : email}?` : `Make ${email} an admin?`}
    action={role === 'admin' ? 'Demote' : 'Promote'}
    {...confirm}
  >
    <p>
      {role !== 'admin'
        ? 'Admins see every account, change sources and vendors, and apply or undo loads.'
        : isMe
          ? 'You lose access to the console with your next request. Only another admin can restore it.'
          : 'They lose access to the console with their next request.'}
    </p>
  </Confirm>
)
