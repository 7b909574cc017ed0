import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchDatalets } from './fetch'
import { parseDatalets } from './parse'

export const tylerIasworld: Adapter<typeof config> = {
  vendor: 'tyler-iasworld',
  needsBrowser: false,
  config,
  fetch: fetchDatalets,
  parse: parseDatalets,
}
