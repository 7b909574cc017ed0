import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Db } from '../../../../core/postgres/database'
import { findProof, listGoldenPages, type StoredGoldenPage } from '../../../../drizzle/queries/sources/source-proofs'
import { decodePageSet } from '../../../scrape/pages/page-set'
import { goldenFile } from '../../../scrape/prove/golden-file'
import { proveSource } from '../../../scrape/prove/prove-source'
import { authorization, principalOf } from '../../callers/auth'
import { namedFor } from '../../callers/named-for'
import { jsonResponse } from '../../convention/body/json'
import { errorBody, HttpError } from '../../convention/errors'
import { PAGE_TEXT_RESPONSE, pageTextResponse } from '../../convention/response/page-text'
import type { Deps } from '../../deps'
import {
  at,
  closed,
  keyedErrors,
  NO_IDEMPOTENCY_KEY,
  notFound,
  PAGE_HASH,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
  vendorName,
  WHO,
} from '../../schemas'
import { scrapeOverrides } from '../scrape-jobs/scrape-now'
import { DRY_RUN_IDLE_S } from './dry-run'
import { reading } from './schemas'

const proof = Type.Object(
  {
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    proved_at: at('When the source was proved.'),
    proved_by: textOf(`Who proved it: ${WHO}, or \`operator\` for the command.`, 'test-adm'),
    adapter: vendorName,
    version: textOf('Version of the service that read the page.', '0.2.0'),
    page_hash: textOf('SHA-256 of the golden page.', PAGE_HASH),
    checked_version: textOrNull(
      'Version that last read the golden page again; null if the settings have changed since, and it will be read soon.',
      '0.2.0',
    ),
    difference: textOrNull(
      'How the golden page is read differently with that version or these settings; null if it is not. The source stays active.',
      'other values in ownerName',
    ),
  },
  {
    ...closed,
    component: 'SourceProof',
    description: 'Who compared a parcel of the source with the portal, and when.',
  },
)

/** @throws HttpError 404 */
const getProof = async (db: Db, source: string, request: Request): Promise<Response> => {
  const found = await findProof(db, source)
  if (found === null) throw new HttpError(404, 'not found')
  return jsonResponse(await namedFor(db, request, found))
}

/** @throws HttpError 404 */
const getGoldenPage = async (db: Db, source: string): Promise<StoredGoldenPage> => {
  const [golden] = await listGoldenPages(db, [source])
  if (golden === undefined) throw new HttpError(404, 'not found')
  return golden
}

export const proofRoutes = ({ sql, tryParcel, exportGoldenPage, authenticator }: Deps) =>
  new Elysia({ normalize: false })
    .use(authorization(authenticator))
    .get('/sources/:source/proof', ({ params: { source }, request }) => getProof(sql, source, request), {
      needs: 'admin',
      params: Type.Object({ source: sourceSlug }),
      response: { 200: proof, ...keyedErrors, ...notFound },
      detail: {
        tags: ['sources'],
        summary: 'Get the proof of a source',
        description: '404: there is no such source, or it is not proved.',
        operationId: 'getSourceProof',
      },
    })
    .get(
      '/sources/:source/proof/page',
      async ({ params: { source } }) => {
        const { pageHash, page } = await getGoldenPage(sql, source)
        return pageTextResponse(await decodePageSet(pageHash, page))
      },
      {
        needs: 'admin',
        params: Type.Object({ source: sourceSlug }),
        response: { ...keyedErrors, ...notFound },
        detail: {
          tags: ['sources'],
          summary: 'Get the golden page of a source as text',
          description:
            'The source text of all responses that were read when the source was proved, as `text/plain`. 404: there is no such source, or it is not proved.',
          operationId: 'getGoldenPage',
          responses: PAGE_TEXT_RESPONSE,
        },
      },
    )
    .get(
      '/sources/:source/proof/export',
      async ({ params: { source } }) => {
        const file = await exportGoldenPage(await getGoldenPage(sql, source))
        return jsonResponse(JSON.stringify(file), {
          headers: {
            'content-disposition': `attachment; filename="${source}.json"`,
            'cache-control': 'private, no-store',
          },
        })
      },
      {
        needs: 'admin',
        params: Type.Object({ source: sourceSlug }),
        response: { 200: goldenFile, ...keyedErrors, ...notFound, 409: errorBody },
        detail: {
          tags: ['sources'],
          summary: 'Export the golden page of a source without names, addresses and numbers',
          description:
            'A file for `GOLDEN_PAGES` of `bun run adapter check`. The adapter has read it again and found the same fields. Each export uses different replacements. 409: the page cannot be exported; the error says why. 404: there is no such source, or it is not proved.',
          operationId: 'exportGoldenPage',
          'x-headers': { 200: ['Content-Disposition'] },
        },
      },
    )
    .post(
      '/sources/:source/proof',
      async ({ params: { source }, body, request, server }) => {
        server?.timeout(request, DRY_RUN_IDLE_S)
        const { source_parcel_id: sourceParcelId, reading, overrides = {} } = body
        const { actor: by, callerHash: caller } = principalOf(request)
        const trial = await tryParcel({ source, sourceParcelId, overrides }, { caller, signal: request.signal })
        await proveSource(sql, trial, { by, reading })
        return getProof(sql, source, request)
      },
      {
        needs: 'admin',
        params: Type.Object({ source: sourceSlug }),
        body: Type.Object(
          { source_parcel_id: sourceParcelId, reading, overrides: Type.Optional(scrapeOverrides) },
          {
            ...closed,
            description: 'The parcel of a dry run, and its `reading`.',
            examples: [{ source_parcel_id: '12-0345-0670', reading: PAGE_HASH }],
          },
        ),
        response: { 200: proof, ...keyedErrors, ...notFound, 409: errorBody, 429: errorBody, 502: errorBody },
        detail: {
          ...NO_IDEMPOTENCY_KEY,
          tags: ['sources'],
          summary: 'Prove a source: confirm that a dry run is right',
          description:
            "Requests the parcel again with the stored settings, and stores its pages as the source's golden page. A source whose vendor has grade C can be activated only after that. 409: the portal shows other values than the dry run, or the parcel cannot be read.",
          operationId: 'proveSource',
        },
      },
    )
