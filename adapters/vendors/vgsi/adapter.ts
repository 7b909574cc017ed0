import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const vgsi: Adapter<typeof config> = {
  vendor: 'vgsi',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
