import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchAccount } from './fetch'
import { parseAccount } from './parse'

export const aumentumPublicAccess: Adapter<typeof config> = {
  vendor: 'aumentum-public-access',
  grade: 'C',
  needsBrowser: true,
  config,
  fetch: fetchAccount,
  parse: parseAccount,
}
