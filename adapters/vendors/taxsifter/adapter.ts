import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchAssessor } from './fetch'
import { parseAssessor } from './parse'

export const taxsifter: Adapter<typeof config> = {
  vendor: 'taxsifter',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchAssessor,
  parse: parseAssessor,
}
