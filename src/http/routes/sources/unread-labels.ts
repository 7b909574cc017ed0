import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findLabels, markLabel } from '../../../../drizzle/queries/sources/source-labels'
import { authorization } from '../../callers/auth'
import { jsonResponse } from '../../convention/body/json'
import { HttpError } from '../../convention/errors'
import type { Deps } from '../../deps'
import { at, closed, count, countOf, keyedErrors, notFound, sourceSlug } from '../../schemas'

const label = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The label or heading, as the page shows it.',
  examples: ['Fire district'],
})
const isKnown = Type.Boolean({
  description: 'Whether an operator has marked it as having nothing to read.',
  examples: [false],
})

const unreadLabels = Type.Object(
  {
    source: sourceSlug,
    scrapes: countOf('Number of recent scrapes that are counted.', 140),
    count,
    labels: Type.Array(
      Type.Object(
        {
          label,
          scrapes: countOf('How many of these scrapes have it.', 12),
          first_seen_at: at('Time when it was first seen.'),
          last_seen_at: at('Time when it was last seen.'),
          is_known: isKnown,
        },
        { ...closed, component: 'UnreadLabel', description: 'A label that no field was read from.' },
      ),
      { description: 'Most frequent first.' },
    ),
  },
  { ...closed, component: 'UnreadLabels', description: 'Labels of the pages of a source that no field was read from.' },
)
const shared = {
  params: Type.Object({ source: sourceSlug }),
  response: { 200: unreadLabels, ...keyedErrors, ...notFound },
}

export const unreadLabelRoutes = ({ sql, authenticator }: Deps) => {
  const list = async (source: string): Promise<Response> => {
    const body = await findLabels(sql, source)
    if (body === null) throw new HttpError(404, 'not found')
    return jsonResponse(body)
  }
  return new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get('/sources/:source/unread-labels', ({ params }) => list(params.source), {
      ...shared,
      needs: 'read',
      detail: {
        tags: ['sources'],
        summary: 'List labels on the pages of a source that are not read',
        description:
          'Labels and table headings that no field was read from, in the last 100 to 200 scrapes, without their values. At most 100 are stored.',
        operationId: 'listUnreadLabels',
      },
    })
    .patch(
      '/sources/:source/unread-labels',
      async ({ params: { source }, body }) => {
        const isMarked = await markLabel(sql, source, { label: body.label, isKnown: body.is_known })
        if (!isMarked) throw new HttpError(404, 'not found')
        return list(source)
      },
      {
        ...shared,
        needs: 'admin',
        body: Type.Object(
          { label, is_known: isKnown },
          { ...closed, description: 'The label.', examples: [{ label: 'Fire district', is_known: true }] },
        ),
        detail: {
          tags: ['sources'],
          summary: 'Mark a label as known: there is nothing to read there',
          description: 'A known label is no longer reported. Returns the list.',
          operationId: 'markUnreadLabel',
        },
      },
    )
}
