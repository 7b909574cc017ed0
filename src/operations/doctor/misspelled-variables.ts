import { editDistance } from '../../../search/query/edit-distance'
import { type Environment, readConfig } from '../../config'

/** Read only by Bun's S3 client, for buckets. */
export const OF_LIBRARIES = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_REGION']

/** The variables that `readConfig` reads. */
export const listConfigured = (): Set<string> => {
  const read = new Set<string>()
  const environment: Environment = {}
  readConfig(
    new Proxy(environment, {
      get: (_, name) => {
        read.add(String(name))
        return undefined
      },
    }),
  )
  return read
}

/** Shorter names are similar to many other names by chance. */
const LONG = 8

const isNear = (a: string, b: string): boolean => {
  const [plainA, plainB] = [a, b].map((name) => name.toUpperCase().replaceAll('_', '')) as [string, string]
  return plainA === plainB || (plainB.length >= LONG && editDistance(plainA, plainB, 1) === 1)
}

/** Variables that nothing reads, but whose name is almost the name of a variable of the service, such as SERVICE_API_KEY. */
export const listMisspelled = (environment: Environment): { name: string; meant: string }[] => {
  const known = [...listConfigured(), ...OF_LIBRARIES]
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name)) return []
    const meant = known.find((other) => isNear(name, other))
    return meant === undefined ? [] : [{ name, meant }]
  })
}
