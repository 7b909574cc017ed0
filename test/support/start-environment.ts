import { scripts } from '../../package.json'

/** The variables with which `bun start` starts the service. The image has the same. Tests and benches run the service with them, too. */
export const START_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  [...scripts.start.matchAll(/\b([A-Z_]+)=(?:\$\{\1:-)?([^\s}]+)/g)].map(([, name = '', value = '']) => [name, value]),
)
