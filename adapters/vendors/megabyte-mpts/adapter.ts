import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchTaxes } from './fetch'
import { parseTaxes } from './parse'

export const megabyteMpts: Adapter<typeof config> = {
  vendor: 'megabyte-mpts',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchTaxes,
  parse: parseTaxes,
}
