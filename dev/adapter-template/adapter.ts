import type { Adapter } from '../../adapters/adapter'
import { config } from './config'
import { fetchParcel } from './fetch'
import { parseParcel } from './parse'

export const exampleVendor: Adapter<typeof config> = {
  vendor: 'example-vendor',
  grade: 'C',
  needsBrowser: false,
  config,
  fetch: fetchParcel,
  parse: parseParcel,
}
