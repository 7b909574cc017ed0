import { Elysia, t } from 'elysia'
import { isEventCursor } from '../../../drizzle/queries/service/events'
import { EVENT_KINDS, type EventKind } from '../../../drizzle/schema/events'
import { authorization, authorizeAgain, principalOf } from '../callers/auth'
import { watcherOf } from '../callers/requester-of'
import { errorBody, HttpError } from '../convention/errors'
import { openEventStream } from '../convention/event-stream'
import type { Deps } from '../deps'
import { keyedErrors, query } from '../schemas'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Proxies of the nginx kind would collect them otherwise.
  'x-accel-buffering': 'no',
}

const EXAMPLE = `retry: 2000
:
id: 70412-0

id: 70413-5518
event: job
data: {"id":"019b76da-8c00-7000-8000-000000000001","source":"sample-county","source_parcel_id":"12-0345-0670","vendor":"arcgis-rest","status":"done","attempts":1,"error_message":null,"at":"2026-01-02T03:04:05.678Z"}

`

export const eventRoutes = ({ authenticator, eventFeed }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/events',
    async ({ request, query }) => {
      const after = request.headers.get('last-event-id') || query.after || null
      if (after !== null && !isEventCursor(after)) {
        throw new HttpError(400, 'Last-Event-ID (or after) must be the id of an event of this stream')
      }
      const kinds = parseKinds(query.types)
      if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
      const principal = principalOf(request)
      const stream = await openEventStream(
        eventFeed,
        { watcher: watcherOf(principal), seesAll: principal.capability === 'admin', kinds, after },
        {
          authorizeAgain: () => authorizeAgain(request),
          isRefusal: (error) => error instanceof HttpError,
        },
      )
      return new Response(stream, { headers: HEADERS })
    },
    {
      needs: 'read',
      query: query({
        types: t.Optional(
          t.String({
            description: `Which events, a comma-separated subset of ${EVENT_KINDS.join(', ')}.`,
            byDefault: EVENT_KINDS.join(','),
            examples: ['job'],
          }),
        ),
        after: t.Optional(
          t.String({
            description: 'What Last-Event-ID says, for clients that cannot send that header at first.',
            examples: ['70413-5518'],
          }),
        ),
      }),
      response: { ...keyedErrors, 429: errorBody },
      detail: {
        tags: ['events'],
        summary: 'What happens, as server-sent events',
        description: `Without end. \`job\`: a job changed its status; of the jobs that your key, or another one of your account, asked for; of all jobs for admins. \`crawl\`, \`reindex\` and \`tile_build\`: how far a full scrape of a source, or a rebuild of the search index or of the tiles, is; for admins. \`work\`: how far any long work is, whatever its kind; for admins. A stream that breaks is resumed by sending its last \`id\` as \`Last-Event-ID\` (browsers do that by themselves), and misses nothing for an hour; whoever comes later is told \`reset\`, and reads anew what it follows. A heartbeat every 15 s. At most 10 streams a key or account and process; who reads too slowly is let go, and resumes.`,
        operationId: 'streamEvents',
        parameters: [
          {
            name: 'Last-Event-ID',
            in: 'header',
            required: false,
            description: 'Of the last event that was received.',
            schema: { type: 'string' },
            example: '70413-5518',
          },
        ],
        responses: {
          ...Object.fromEntries(
            ['400', '401', '403', '429', '500', '503'].map((status) => [status, { description: '' }]),
          ),
          200: {
            description: 'Events, as they happen.',
            content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
          },
        },
      },
    },
  )

/** @throws HttpError 400 */
const parseKinds = (text: string | undefined): EventKind[] => {
  if (text === undefined) return [...EVENT_KINDS]
  return text.split(',').map((name) => {
    const kind = EVENT_KINDS.find((known) => known === name.trim())
    if (kind === undefined)
      throw new HttpError(400, `types must be a comma-separated subset of ${EVENT_KINDS.join(', ')}`)
    return kind
  })
}
