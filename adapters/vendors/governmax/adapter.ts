import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchSummary } from './fetch'
import { parseSummary } from './parse'

export const governmax: Adapter<typeof config> = {
  vendor: 'governmax',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchSummary,
  parse: parseSummary,
}
