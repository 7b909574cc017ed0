import { formatGb, readMemoryLimit } from '../../../core/memory-limit'
import type { Config } from '../../config'
import { type Diagnosis, ok, warn } from './diagnosis'

/** With the servers of `bun start` and 235,000 parcels (docs/measured.md, "Memory"). Machines that are sold with 2 GB show slightly less. */
const ENOUGH = 1.8 * 1024 ** 3

/** Checks that a machine or container with embedded servers has enough memory for them. */
export const examineMemory = ({ databaseUrl }: Config, limit = readMemoryLimit()): Diagnosis[] => {
  const what = `${formatGb(limit)}, of the machine or its container`
  if (databaseUrl !== null || limit >= ENOUGH) return [ok('memory', what)]
  return [
    warn(
      'memory',
      `${what}: enough for some ten thousand parcels. With more, the system may kill an embedded server`,
      'use 2 GB or more, and set MIMALLOC_PURGE_DELAY=100 until then',
    ),
  ]
}
