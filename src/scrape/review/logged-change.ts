import type { LoggedChange, ReviewInput } from './rule'

const DAY_MS = 86_400_000

type Field = 'ownerName' | 'assessedValue'
type Value<Name extends Field> = NonNullable<NonNullable<LoggedChange[Name]>[0]>

/** Files and portals write names and values differently, so only values of one kind are compared. Null: not known. */
const kindOf = ({ cause }: LoggedChange): 'file' | 'portal' | null =>
  cause === 'ingest' ? 'file' : cause === 'scrape' || cause === 'crawl' ? 'portal' : null

/**
 * The last change of a field in the log, if both values are from files or both are from portals, and the change is at most `days` old.
 * `on` is its day, UTC.
 */
export const findLoggedChange = <Name extends Field>(
  { changes, now }: Pick<ReviewInput, 'changes' | 'now'>,
  field: Name,
  days: number,
): { was: Value<Name>; is: Value<Name>; on: string } | null => {
  const index = changes.findIndex((change) => change[field] !== undefined)
  const change = changes[index]
  if (change === undefined || now.getTime() - Date.parse(change.at) > days * DAY_MS) return null
  const former = changes.slice(index + 1).find((older) => older[field] !== undefined || older.action === 'created')
  if (former === undefined || kindOf(former) === null || kindOf(former) !== kindOf(change)) return null
  const [was, is] = change[field] as [Value<Name> | null, Value<Name> | null]
  return was === null || is === null ? null : { was, is, on: change.at.slice(0, 10) }
}
