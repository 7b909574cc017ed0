import type { Signals } from '../../../core/sources/tuner'

/** Signals as the tuning log and the API store them: `p50_ms`, `not_found`. */
export const toRecordedSignals = (signals: Signals): Record<string, number | null> =>
  Object.fromEntries(
    Object.entries(signals).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

/** Signals read back from the log, for a replay. */
export const fromRecordedSignals = (recorded: object): Signals =>
  Object.fromEntries(
    Object.entries(recorded).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  ) as unknown as Signals
