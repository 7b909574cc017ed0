import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ask } from '../../api/api'
import { PAGED } from '../../api/queries'
import { Loaded } from '../../ui/loaded'
import { DataTable } from '../../ui/table/data-table'
import { OlderRows } from '../../ui/table/older-rows'
import { ExactTime } from '../../ui/time'
import { ConsolePage } from './console-page'
import { describeAction } from './describe-action'

const listActions = (after: string | null, signal: AbortSignal) =>
  ask(api.v1.admin.actions.get({ query: { limit: 100, ...(after === null ? {} : { after }) }, fetch: { signal } }))

/** What was sent, in one line: `active: true, cadence: "weekly"`. */
const describeBody = (body: unknown): string =>
  body === null || typeof body !== 'object'
    ? ''
    : Object.entries(body)
        .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
        .join(', ')

const What = ({ method, path }: { method: string; path: string }) => {
  const { words, page } = describeAction(method, path) ?? { words: null, page: null }
  return (
    <>
      {words !== null && <span className="cell-words">{page === null ? words : <Link href={page}>{words}</Link>}</span>}
      <span className={words === null ? 'code' : 'cell-note code'}>
        {method} {decodeURI(path)}
      </span>
    </>
  )
}

/** What admins changed: who, when and how. */
export const ActivityPage = () => {
  const actions = useInfiniteQuery({
    queryKey: ['admin-actions'],
    queryFn: ({ signal, pageParam }) => listActions(pageParam, signal),
    ...PAGED,
  })
  const rows = actions.data?.pages.flatMap((page) => page.actions) ?? []
  return (
    <ConsolePage
      title="Activity"
      lead="Changes that admins made, on these pages or through the API, newest first. They are kept for a year."
    >
      <Loaded query={actions} what="the activity">
        {() => (
          <>
            <DataTable
              label="What admins changed"
              rows={rows}
              keyOf={({ id }) => id}
              empty="No admin has changed anything yet."
              columns={[
                { name: 'When', isHead: true, cell: ({ created_at }) => <ExactTime at={created_at} /> },
                { name: 'Who', cell: ({ actor }) => actor },
                { name: 'What', cell: (action) => <What {...action} /> },
                { name: 'With', cell: ({ body }) => <span className="cell-message">{describeBody(body)}</span> },
              ]}
            />
            <OlderRows count={rows.length} list={actions} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  )
}
