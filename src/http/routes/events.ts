import { Elysia, t } from 'elysia'
import { isEventCursor } from '../../../drizzle/queries/service/events'
import { EVENT_KINDS, type EventKind } from '../../../drizzle/schema/values'
import { authorization, authorizeAgain, principalOf } from '../callers/auth'
import { callerIdOf } from '../callers/authenticator'
import { watcherOf } from '../callers/requester-of'
import { errorBody, HttpError } from '../convention/errors'
import { openEventStream } from '../convention/response/event-stream'
import type { Deps } from '../deps'
import { keyedErrors, query } from '../schemas'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Without this header, nginx and similar proxies would buffer the events.
  'x-accel-buffering': 'no',
}

const EXAMPLE = `retry: 2000
:
id: 70412-0

id: 70413-5518
event: job
data: {"id":"019b76da-8c00-7000-8000-000000000001","source":"sample-county","source_parcel_id":"12-0345-0670","vendor":"arcgis-rest","status":"done","attempts":1,"error_message":null,"created_at":"2026-01-02T03:04:00.123Z","duration_ms":812,"at":"2026-01-02T03:04:05.678Z"}

`

export const eventRoutes = ({ authenticator, eventFeed, noteWrite }: Deps) =>
  new Elysia({ normalize: false }).use(authorization(authenticator)).get(
    '/events',
    async ({ request, query }) => {
      const after = request.headers.get('last-event-id') || query.after || null
      if (after !== null && !isEventCursor(after)) {
        throw new HttpError(400, 'Last-Event-ID (or after) must be the id of an event from this stream')
      }
      const kinds = parseKinds(query.types)
      if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
      const principal = principalOf(request)
      const readFromPrimary = () => noteWrite?.(callerIdOf(principal))
      await readFromPrimary()
      const stream = await openEventStream(
        eventFeed,
        { watcher: watcherOf(principal), seesAll: principal.capability === 'admin', kinds, after },
        {
          authorizeAgain: async () => {
            await authorizeAgain(request)
            await readFromPrimary()
          },
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
            description: `Event types to receive, a comma-separated subset of ${EVENT_KINDS.join(', ')}.`,
            byDefault: EVENT_KINDS.join(','),
            examples: ['job'],
          }),
        ),
        after: t.Optional(
          t.String({
            description: 'Same as `Last-Event-ID`, for clients that cannot set that header on their first request.',
            examples: ['70413-5518'],
          }),
        ),
      }),
      response: { ...keyedErrors, 429: errorBody },
      detail: {
        tags: ['events'],
        summary: 'Stream events (server-sent events)',
        description: `An endless stream. \`job\`: the status of a job changed. You receive events for jobs that any key or session of your account requested; admins receive events for all jobs. \`watch\`: one of your watches matched a change; admins receive the events of all watches. The change itself is in \`/v1/changes\`. \`crawl\`, \`reindex\` and \`tile_build\` (admins only): progress of a crawl of a source, of a rebuild of the search index, or of a tile build. \`work\` (admins only): progress of long work of any kind. \`load\` (admins only): a load was held, applied, discarded or undone, or has failed. \`source\` (admins only): the scrapes of a source begin to fail in a row, fail for another reason, or succeed again, or its pages have a new label that no field was read from. To resume, reconnect with the last \`id\` as \`Last-Event-ID\` (browsers do this automatically in pages of the service; other pages read the stream with \`fetch\`, because \`EventSource\` cannot send a key). Events are kept for one hour; after that the stream starts with \`reset\`, and you must fetch the current state again. A heartbeat is sent every 15 s. Each key or account can have 10 open streams per process. If a client reads too slowly, the server closes its stream; the client can then resume.`,
        operationId: 'streamEvents',
        // Not `parameters`: the plugin would replace those of the query.
        'x-resumable': true,
        responses: {
          ...Object.fromEntries(
            ['400', '401', '403', '429', '500', '503'].map((status) => [status, { description: '' }]),
          ),
          200: {
            description: 'The event stream.',
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
