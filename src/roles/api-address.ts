import type { Address } from '../../core/network/refuse-address'
import type { Config } from '../config'

/** Where the API listens. */
export const apiAddress = ({ port, host, reusePort }: Config): Address & { reusePort: boolean } => ({
  port,
  host,
  reusePort,
  hostVariable: 'HOST',
  otherPort: 'set another PORT',
})
