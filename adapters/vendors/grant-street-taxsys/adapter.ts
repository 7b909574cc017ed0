import type { Adapter } from '../../adapter'
import { config } from './config'
import { fetchAccount } from './fetch'
import { parseAccount } from './parse'

export const grantStreetTaxsys: Adapter<typeof config> = {
  vendor: 'grant-street-taxsys',
  grade: 'C',
  needsBrowser: true,
  config,
  fetch: fetchAccount,
  parse: parseAccount,
}
