import { Elysia } from 'elysia'
import type { DatasetVersion } from '../../../parcels/dataset-version'

const versions = new WeakMap<Request, string>()

/** The version that the response to this request has at least. Undefined: it does not tell. */
export const datasetVersionOf = (request: Request): string | undefined => versions.get(request)

/**
 * `tellsVersion: true` on a route adds the header `X-Dataset-Version`: the response has every change up to this version of the record.
 * It is known before the route reads, and costs no query.
 */
export const datasetVersionHeader = (datasetVersion: DatasetVersion) =>
  new Elysia({ name: 'dataset-version' }).macro({
    tellsVersion: (tells: boolean) => ({
      transform: ({ request }) => {
        const version = datasetVersion.known()
        if (tells && version !== null) versions.set(request, String(version))
      },
    }),
  })
