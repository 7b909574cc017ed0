import { Elysia } from 'elysia'
import type { DatasetVersion } from '../../../parcels/dataset-version'

const versions = new WeakMap<Request, number>()

/** The minimum version of the response to this request. Undefined: the route does not report one. */
export const datasetVersionOf = (request: Request): number | undefined => versions.get(request)

/** The version that the caller has already seen, from a request header of the same name. 0: the header is missing or not a version. */
const seenVersionOf = (request: Request): number => {
  const header = request.headers.get('x-dataset-version')
  return header !== null && /^\d{1,15}$/.test(header) ? Number(header) : 0
}

/** The minimum version for all reads of this request. */
export const leastVersionOf = (request: Request): number =>
  Math.max(datasetVersionOf(request) ?? 0, seenVersionOf(request))

/**
 * `tellsVersion: true` on a route adds the header `X-Dataset-Version`: the response has every change up to this version. The version is
 * known before the route reads, and needs no query.
 */
export const datasetVersionHeader = (datasetVersion: DatasetVersion) =>
  new Elysia({ name: 'dataset-version' }).macro({
    tellsVersion: (tells: boolean) => ({
      transform: ({ request }) => {
        const [known, shared] = [datasetVersion.known(), datasetVersion.shared()]
        if (!tells || known === null || shared === null) return
        // If a replica is behind, promise only what every replica has, or what the caller has already seen. So replicas can still answer.
        versions.set(request, shared === known ? known : Math.max(shared, Math.min(known, seenVersionOf(request))))
      },
    }),
  })
