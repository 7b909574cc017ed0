import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchSummary } from './fetch'
import { parseSummary } from './parse'

export const patriotWebpro: Adapter<typeof config> = {
  vendor: 'patriot-webpro',
  grade: 'A',
  needsBrowser: false,
  config,
  fetch: fetchSummary,
  parse: parseSummary,
}
