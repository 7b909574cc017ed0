import type { Adapter } from '../../adapter'
import { config } from './config'
import { crawlDataset } from './crawl'
import { fetchRows } from './fetch'
import { parseRows } from './parse'

export const socrataSoda: Adapter<typeof config> = {
  vendor: 'socrata-soda',
  grade: 'A',
  needsBrowser: false,
  config,
  fetch: fetchRows,
  parse: parseRows,
  crawl: crawlDataset,
}
