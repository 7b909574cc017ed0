import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchAccount } from './fetch'
import { parseAccount } from './parse'

export const tylerEaglewebTreasurer: Adapter<typeof config> = {
  vendor: 'tyler-eagleweb-treasurer',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchAccount,
  parse: parseAccount,
}
