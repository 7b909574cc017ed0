import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchRecord } from './fetch'
import { parseRecord } from './parse'

export const spatialest: Adapter<typeof config> = {
  vendor: 'spatialest',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchRecord,
  parse: parseRecord,
}
