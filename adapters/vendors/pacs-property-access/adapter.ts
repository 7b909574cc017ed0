import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchProperty } from './fetch'
import { parseProperty } from './parse'

export const pacsPropertyAccess: Adapter<typeof config> = {
  vendor: 'pacs-property-access',
  grade: 'B',
  gradeByState: { TX: 'A' },
  needsBrowser: false,
  config,
  fetch: fetchProperty,
  parse: parseProperty,
}
