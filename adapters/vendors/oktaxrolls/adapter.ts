import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchStatements } from './fetch'
import { parseStatements } from './parse'

export const oktaxrolls: Adapter<typeof config> = {
  vendor: 'oktaxrolls',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchStatements,
  parse: parseStatements,
}
