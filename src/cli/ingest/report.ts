import { countNoun, formatCount } from '../../../core/text/count-noun'
import type { IngestOptions } from '../../ingest/ingest'
import type { IngestSummary } from '../../ingest/pipeline/summary'
import type { RollOptions, RollSummary } from '../../ingest/roll/ingest-roll'
import { describeHeldLoad, HELD_CODE } from '../../loads/describe-load'

export const describeSummary = (summary: IngestSummary, options: Pick<IngestOptions, 'rejectsFile'>): string => {
  const isHeld = summary.load?.status === 'held'
  const written = summary.inserted + summary.updated
  const retired = summary.retired > 0 ? `, ${formatCount(summary.retired)} ${isHeld ? 'to retire' : 'retired'}` : ''
  const seconds = summary.durationMs / 1000
  const named = summary.rejected + summary.withoutGeometry > 0 ? `: see ${options.rejectsFile}` : ''
  const without =
    summary.withoutGeometry > 0 ? `, ${formatCount(summary.withoutGeometry)} loaded without their broken geometry` : ''
  const repaired = summary.repaired > 0 ? `; ${countNoun(summary.repaired, 'geometry', 'geometries')} repaired` : ''
  const merged = summary.merged > 0 ? `, ${formatCount(summary.merged)} merged into others` : ''
  return `${countNoun(summary.read, 'row')} read: ${formatCount(written)} ${isHeld ? 'held' : 'written'} (${formatCount(summary.inserted)} inserted, ${formatCount(summary.updated)} updated), ${formatCount(summary.unchanged)} unchanged${retired}, ${formatCount(summary.rejected)} rejected${merged}${without}${named}${repaired}; ${seconds.toFixed(1)} s, ${formatCount(Math.round(summary.read / seconds))} rows/s`
}

export const describeRollSummary = (summary: RollSummary, options: Omit<RollOptions, 'file'>): string => {
  const isHeld = summary.load?.status === 'held'
  const emptied = summary.emptied > 0 ? `, ${formatCount(summary.emptied)} without their former accounts` : ''
  const seen = summary.rejected + summary.withoutParcel > 0 ? `: see ${options.rejectsFile}` : ''
  const missing = summary.withoutRow > 0 ? `: see ${options.parcelsWithoutRowFile}` : ''
  const seconds = summary.durationMs / 1000
  return [
    `${countNoun(summary.read, 'row')} read: ${countNoun(summary.accounts, 'account')} of ${countNoun(summary.parcels, 'parcel')} (${formatCount(summary.updated)} ${isHeld ? 'held' : 'updated'}, ${formatCount(summary.unchanged)} unchanged${emptied})`,
    `rows without a parcel ${formatCount(summary.withoutParcel)}, rejected ${formatCount(summary.rejected)}${seen}`,
    `parcels without a row ${formatCount(summary.withoutRow)}${missing}; ${seconds.toFixed(1)} s, ${formatCount(Math.round(summary.read / seconds))} rows/s`,
  ].join('\n')
}

/**
 * Prints what the operator should know about a load, and sets the exit code. `loaded`: the rows that were not refused. `hint`: what to do if
 * there is none.
 */
export const reportEnd = (
  { warnings, stopped, load, read }: Pick<IngestSummary, 'warnings' | 'stopped' | 'load' | 'read'>,
  { loaded, hint }: { loaded: number; hint: string },
): void => {
  for (const warning of warnings) console.error(`warning: ${warning}`)
  if (stopped) {
    const kept = load?.status === 'discarded' ? ', and nothing was loaded' : ''
    console.error(`stopped before the end of the file${kept}: run the same command again to complete it`)
  }
  if (load?.status === 'held') {
    for (const line of describeHeldLoad(load)) console.error(line)
    process.exitCode = HELD_CODE
  } else if (read > 0 && loaded === 0) {
    console.error(`No row could be loaded. ${hint}`.trimEnd())
    process.exitCode = 1
  }
}
