import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchAccount } from './fetch'
import { parseAccount } from './parse'

export const tylerEaglewebAssessor: Adapter<typeof config> = {
  vendor: 'tyler-eagleweb-assessor',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchAccount,
  parse: parseAccount,
}
