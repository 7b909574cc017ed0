import type { Adapter } from '../../adapter'
import { config } from './config'
import { crawlLayer } from './crawl'
import { fetchFeatures } from './fetch'
import { parseFeatures } from './parse'

export const arcgisRest: Adapter<typeof config> = {
  vendor: 'arcgis-rest',
  grade: 'A',
  needsBrowser: false,
  config,
  fetch: fetchFeatures,
  parse: parseFeatures,
  crawl: crawlLayer,
}
