import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const aumentumAscendweb: Adapter<typeof config> = {
  vendor: 'aumentum-ascendweb',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
