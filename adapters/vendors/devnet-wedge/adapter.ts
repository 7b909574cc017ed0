import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const devnetWedge: Adapter<typeof config> = {
  vendor: 'devnet-wedge',
  grade: 'C',
  gradeByState: { IL: 'B' },
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
