import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const iowaTreasurers: Adapter<typeof config> = {
  vendor: 'iowa-treasurers',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
