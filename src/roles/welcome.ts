import { connectDatabase } from '../../core/postgres/database'
import type { READY_PEOPLE } from '../../dev/identity-provider'
import { findExampleParcel } from '../../drizzle/queries/parcels/parcels'

/** Prints what a user of `bun start` needs when it is ready: the URL, a key, and three calls to copy and run. */
export const welcome = async ({
  baseUrl,
  databaseUrl,
  key,
  people,
}: {
  baseUrl: string
  databaseUrl: string
  key: string | null
  /** The people who can sign in without any setup. */
  people: typeof READY_PEOPLE | null
}): Promise<string> => {
  const ready = `\nReady: ${baseUrl}  (API: ${baseUrl}/docs, map: ${baseUrl}/map)${people === null ? '' : signInLines(baseUrl, people)}`
  if (key === null) return ready
  const sql = connectDatabase(databaseUrl, { max: 1 })
  const example = await findExampleParcel(sql)
  await sql.end()
  if (example === null) return `${ready}\nAdmin key, for this machine only: ${key}`
  const call = (comment: string, path: string) => `\n# ${comment}\ncurl -H 'X-Service-Key: ${key}' '${baseUrl}${path}'`
  const [west, south, east, north] = example.bbox.map((degrees, side) =>
    (degrees + (side < 2 ? -0.001 : 0.001)).toFixed(4),
  )
  const lines = [
    call('search, with a typo', `/v1/search?q=${encodeURIComponent(misspell(example.owner_name))}&limit=5`),
    call('parcels in a box', `/v1/parcels?bbox=${west},${south},${east},${north}&limit=20`),
    call('one parcel', `/v1/parcels/${example.source}/${encodeURIComponent(example.source_parcel_id)}`),
  ]
  return `${ready}\nAdmin key, for this machine only: ${key}\n${lines.join('\n')}\n`
}

const signInLines = (baseUrl: string, { admin, member }: typeof READY_PEOPLE): string => `
Sign in: ${baseUrl}/auth/sign-in  (as ${admin.name}, an admin, or ${member.name}, a member)
To make another person an admin after they have signed in: bun run accounts promote ${member.email}`

/** Swaps the third and fourth letter, a common typo. */
const misspell = (text: string): string => text.toLowerCase().replace(/^(..)(.)(.)/, '$1$3$2')
