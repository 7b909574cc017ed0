import { codeOf } from '../error-code'
import { ServiceError } from '../service-error'

/** The address of a server, and what an operator can change. */
export interface Address {
  port: number
  host: string
  /** The variable that has the host. */
  hostVariable: string
  /** What to do if the port is taken. */
  otherPort: string
}

/** Listens for a moment. @throws ServiceError `bad_config` when the port is taken, or the host is not of this machine */
export const tryAddress = async (address: Address & { reusePort: boolean }): Promise<void> => {
  try {
    const { port, host: hostname, reusePort } = address
    await Bun.serve({ port, hostname, reusePort, fetch: () => new Response() }).stop(true)
  } catch (error) {
    refuseAddress(error, address)
  }
}

/** Codes of the system, for a host that does not resolve or that another machine has. */
const NOT_HERE = ['EADDRNOTAVAIL', 'EAI_AGAIN', 'EINVAL', 'ENOTFOUND']

/** Why a server cannot listen. @throws ServiceError `bad_config`, or `cause` if the address is not the reason */
export const refuseAddress = (cause: unknown, { port, host, hostVariable, otherPort }: Address): never => {
  const code = codeOf(cause) ?? ''
  const refuse = (problem: string): never => {
    throw new ServiceError('bad_config', problem, { cause })
  }
  if (code === 'EADDRINUSE') refuse(`port ${port} of ${host} is in use: ${otherPort}`)
  if (code === 'EACCES') refuse(`port ${port} needs the rights of root: ${otherPort}`)
  // For a name that does not resolve, Bun reports the code that an earlier call of the system has left.
  const isOfListen = cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen'
  if (NOT_HERE.includes(code) || isOfListen) refuse(`${hostVariable} must be an address of this machine, not ${host}`)
  throw cause
}
