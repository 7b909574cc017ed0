import { Elysia } from 'elysia'
import type { DatasetVersion } from '../../../parcels/dataset-version'

const versions = new WeakMap<Request, number>()

/** The version that the response to this request has at least. Undefined: it does not tell. */
export const datasetVersionOf = (request: Request): number | undefined => versions.get(request)

/** The version that the caller has seen elsewhere, as it says in a header of the same name. 0: it says none, or no version. */
const seenVersionOf = (request: Request): number => {
  const header = request.headers.get('x-dataset-version')
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : 0
}

/** The version below which no read of this request may be. */
export const leastVersionOf = (request: Request): number =>
  Math.max(datasetVersionOf(request) ?? 0, seenVersionOf(request))

/**
 * `tellsVersion: true` on a route adds the header `X-Dataset-Version`: the response has every change up to this version of the record.
 * It is known before the route reads, and costs no query.
 */
export const datasetVersionHeader = (datasetVersion: DatasetVersion) =>
  new Elysia({ name: 'dataset-version' }).macro({
    tellsVersion: (tells: boolean) => ({
      transform: ({ request }) => {
        const [known, shared] = [datasetVersion.known(), datasetVersion.shared()]
        if (!tells || known === null || shared === null) return
        // With a replica that has less, the version that the caller has seen decides who answers.
        versions.set(request, shared === known ? known : Math.max(shared, Math.min(known, seenVersionOf(request))))
      },
    }),
  })
