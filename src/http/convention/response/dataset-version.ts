import { Elysia } from 'elysia'
import type { DatasetVersion } from '../../../parcels/dataset-version'

/**
 * `tellsVersion: true` on a route adds the header `X-Dataset-Version`: the response has every change up to this version of the record.
 * It is known before the route reads, and costs no query.
 */
export const datasetVersionHeader = (datasetVersion: DatasetVersion) =>
  new Elysia({ name: 'dataset-version' }).macro({
    tellsVersion: (tells: boolean) => ({
      transform: ({ set }) => {
        const version = datasetVersion.known()
        if (tells && version !== null) set.headers['x-dataset-version'] = String(version)
      },
    }),
  })
