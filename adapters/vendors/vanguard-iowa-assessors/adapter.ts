import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const vanguardIowaAssessors: Adapter<typeof config> = {
  vendor: 'vanguard-iowa-assessors',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
