import type { Placed } from '../writing/batches'
import type { RepeatedId, RepeatedRows } from './repeated-rows'
import type { SeenIds } from './seen-ids'
import { RowFault } from './source-row'

/** Maximum rows with one id, and their characters, that can be merged. More rows cannot be parts of one parcel. */
const MAX_PARTS = { rows: 2_000, characters: 32_000_000 }

interface Repeated<Item> {
  repeated: RepeatedRows<Item>
  seen: SeenIds
  withId: (item: Item, id: string) => Item
  /** @throws RowFault */
  merge: (items: Item[]) => Item
  reject: (line: number, reason: string, id: string) => void
  /** Called with the number of rows that were merged into another one. */
  onMerged: (rows: number) => void
}

/** The rows of each repeated id, numbered or merged. */
export function* settleRepeated<Item>(how: 'number' | 'merge', of: Repeated<Item>): Generator<Placed<Item>> {
  for (const group of of.repeated.ids()) {
    if (how === 'number') yield* numberRows(group.id, of)
    else yield* mergeRows(group, of)
  }
}

/** Numbers rows in the order of their content. The first keeps the id. Numbers that would give the id of another row are skipped. */
function* numberRows<Item>(id: string, { repeated, seen, withId }: Repeated<Item>): Generator<Placed<Item>> {
  let copy = 0
  for (const { line, item } of repeated.inOrderOfContent(id)) {
    copy++
    while (copy > 1 && seen.has(`${id}~${copy}`)) copy++
    yield { line, item: copy === 1 ? item : withId(item, `${id}~${copy}`) }
  }
}

function* mergeRows<Item>(
  { id, rows, size }: RepeatedId,
  { repeated, merge, reject, onMerged }: Repeated<Item>,
): Generator<Placed<Item>> {
  const refuse = (reason: string) => {
    for (const { line } of repeated.inOrderOfFile(id)) reject(line, reason, id)
  }
  if (rows > MAX_PARTS.rows) return refuse(`${rows} rows have this id, more than ${MAX_PARTS.rows} parts of one parcel`)
  if (size > MAX_PARTS.characters) return refuse(`the ${rows} rows with this id are too large for one parcel`)
  const parts = [...repeated.inOrderOfFile(id)]
  try {
    const item = merge(parts.map((part) => part.item))
    onMerged(parts.length - 1)
    yield { line: parts[0]?.line ?? 0, item }
  } catch (error) {
    if (!(error instanceof RowFault)) throw error
    refuse(`its rows cannot be merged: ${error.message}`)
  }
}
