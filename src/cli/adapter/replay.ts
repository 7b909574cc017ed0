import { findAdapter } from '../../../adapters/registry'
import { ServiceError } from '../../../core/service-error'
import { countNoun } from '../../../core/text/count-noun'
import { readTime, TIME } from '../../../core/text/read-time'
import { readConfig } from '../../config'
import { createPageStore } from '../../scrape/pages/page-store'
import { replayPages } from '../../scrape/pages/replay-pages'
import type { FieldDifference, ReplayReport } from '../../scrape/pages/replay-report'
import { createReaderPool } from '../../scrape/readers/reader-pool'
import { review } from '../../scrape/review/review'
import { UsageError } from '../command/command'
import { listenForStop } from '../command/stop-signal'
import { useDatabase } from '../command/use-database'
import { createProgress } from '../terminal/progress'

export interface ReplayOptions {
  parcel: string | undefined
  /** A date or a time. */
  since: string | undefined
  apply: boolean
}

/** Reads the stored pages of a source with the current adapter. Prints the changes, and stores them with `apply`. */
export const replayFromCommand = (source: string, { parcel, since, apply }: ReplayOptions): Promise<void> => {
  const sinceTime = since === undefined ? null : readTime(since)
  if (since !== undefined && sinceTime === null) {
    throw new UsageError(`--since must be ${TIME}, but is ${JSON.stringify(since)}`)
  }
  return useDatabase({ applicationName: 'replay', max: 3 }, async (sql) => {
    const signal = listenForStop(new ServiceError('cancelled', 'the replay was stopped'))
    const readers = createReaderPool()
    using progress = createProgress(`${source}: parcels`, null)
    try {
      const report = await replayPages(
        { sql, store: createPageStore(readConfig().pagesUrl), readers, findAdapter, review },
        {
          source,
          parcel: parcel ?? null,
          since: sinceTime,
          isApplied: apply,
          signal,
          onProgress: (parcels) => progress.update(parcels),
        },
      )
      progress.finish(`${source}: ${countNoun(report.parcels, 'parcel')} with kept pages`)
      for (const line of describeReplay(report, apply)) console.log(line)
    } finally {
      readers.stop()
    }
  })
}

const EXAMPLE_CHARACTERS = 120
/** How many equal characters are shown before the first difference. */
const CONTEXT_CHARACTERS = 20

const describeReplay = (report: ReplayReport, isApplied: boolean): string[] => {
  const { read, refused, lost, older, retired, newerValues, created, changed, fields } = report
  const counted = (count: number, noun: string, what: string) =>
    count === 0 ? [] : [`  ${countNoun(count, noun)} ${what}`]
  const lines = [
    `  ${countNoun(read, 'page')} read`,
    ...[...refused].flatMap(([code, { count, example }]) =>
      counted(count, 'page', `refused: ${code} (${cut(example)})`),
    ),
    ...counted(lost, 'page', 'missing or damaged'),
    ...counted(older, 'parcel', 'skipped: the last scrape or load is newer than the page'),
    ...counted(retired, 'parcel', 'skipped: no longer listed by the source'),
    ...counted(newerValues, 'value', 'skipped: newer than the page'),
    ...counted(created, 'parcel', 'added'),
    `  ${countNoun(changed, 'parcel')} changed`,
  ]
  const byCount = [...fields].sort(([, one], [, other]) => other.count - one.count)
  for (const [name, field] of byCount) lines.push('', `${name}: ${field.count}`, ...describeExamples(field))
  lines.push(
    '',
    isApplied
      ? `Applied as ${report.id}. To undo it: bun run loads undo ${report.id}`
      : changed + created === 0
        ? 'There is nothing to store.'
        : 'Nothing was stored. To store it, repeat the command with --apply.',
  )
  return lines
}

const describeExamples = ({ examples }: FieldDifference): string[] =>
  examples.flatMap(({ sourceParcelId, former, new: value }) => {
    const [was, is] = [JSON.stringify(former), JSON.stringify(value)]
    const from = Math.max(0, findDifference(was, is) - CONTEXT_CHARACTERS)
    return [`  ${sourceParcelId}`, `    former  ${cut(was, from)}`, `    new     ${cut(is, from)}`]
  })

/** The index of the first character that differs. */
const findDifference = (one: string, other: string): number => {
  let place = 0
  while (place < one.length && one[place] === other[place]) place++
  return place
}

const cut = (text: string, from = 0): string => {
  const shown = text.slice(from, from + EXAMPLE_CHARACTERS)
  return `${from > 0 ? '…' : ''}${shown}${from + shown.length < text.length ? '…' : ''}`
}
