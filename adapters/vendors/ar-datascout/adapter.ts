import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const arDatascout: Adapter<typeof config> = {
  vendor: 'ar-datascout',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
