import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const gsaCatalis: Adapter<typeof config> = {
  vendor: 'gsa-catalis',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
