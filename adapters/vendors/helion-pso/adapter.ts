import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchAccount } from './fetch'
import { parseAccount } from './parse'

export const helionPso: Adapter<typeof config> = {
  vendor: 'helion-pso',
  grade: 'B',
  needsBrowser: true,
  config,
  fetch: fetchAccount,
  parse: parseAccount,
}
