import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchDatalets } from './fetch'
import { parseDatalets } from './parse'

export const tylerIasworld: Adapter<typeof config> = {
  vendor: 'tyler-iasworld',
  grade: 'B',
  needsBrowser: false,
  config,
  fetch: fetchDatalets,
  parse: parseDatalets,
}
