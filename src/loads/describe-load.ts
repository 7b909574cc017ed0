import { countNoun } from '../../core/text/count-noun'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import type { LoadCheck, LoadVerdict } from '../../drizzle/schema/parcels/loads'

const percent = (share: number): string => `${(share * 100).toLocaleString('en-US', { maximumFractionDigits: 1 })}%`

const sentenceOf = ({ check, field, count, share, limit }: LoadCheck): string => {
  const many = `${countNoun(count, 'parcel')} (${percent(share)}; the limit is ${percent(limit)})`
  if (check === 'retired') return `it would retire ${many}`
  return check === 'emptied' ? `it would empty ${field} of ${many}` : `it would change the owner of ${many}`
}

const show = (value: unknown): string =>
  value == null ? '(empty)' : typeof value === 'string' ? value : JSON.stringify(value)

/** Why a load is held, with examples, one line each. */
export const describeVerdict = ({ checks }: LoadVerdict): string[] =>
  checks
    .filter(({ is_over }) => is_over)
    .flatMap((check) => [
      sentenceOf(check),
      ...check.examples.map(
        (example) => `  ${example.source_parcel_id}: ${show(example.former)} -> ${show(example.new)}`,
      ),
    ])

/** The exit code of a command whose load is held. */
export const HELD_CODE = 3

/** The message for the person who started a load that is held. */
export const describeHeldLoad = ({ id, verdict }: { id: string; verdict: LoadVerdict | null }): string[] => [
  `the load ${id} is held, and nothing of it is visible:`,
  ...(verdict === null ? [] : describeVerdict(verdict)),
  `to apply it: bun run loads apply ${id}`,
  `to discard it: bun run loads discard ${id}`,
]

/** The message for another load, or for an order, that must wait for a running load. */
export const describeRunningLoad = (source: string, kind: string): string =>
  kind === WORK_KINDS.crawl.name ? `a crawl of ${source}` : `another load of ${source}`
