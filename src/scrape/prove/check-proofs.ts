import type { Logger } from 'pino'
import type { Adapter } from '../../../adapters/adapter'
import type { Sql } from '../../../core/postgres/database'
import {
  listUncheckedGoldenPages,
  recordProofCheck,
  type StoredGoldenPage,
} from '../../../drizzle/queries/sources/source-proofs'
import { version } from '../../../package.json' with { type: 'json' }
import { describeFailure } from '../fetch/describe-failure'
import { decodePageSet } from '../pages/page-set'
import type { Readers } from '../readers/readers'
import { findDifference } from './read-golden-page'

export interface ProofCheckDeps {
  sql: Sql
  readers: Readers
  findAdapter: (vendor: string) => Adapter | null
  log: Pick<Logger, 'warn'>
}

const BATCH = 20
const CHECK_EVERY_MS = 60_000

/**
 * Rereads each golden page that this version has not read yet, or whose source has new settings. Differences are recorded and logged.
 * No source is deactivated.
 */
export const checkProofs = async ({ sql, readers, findAdapter, log }: ProofCheckDeps): Promise<void> => {
  for (;;) {
    const pages = await listUncheckedGoldenPages(sql, version, BATCH)
    for (const golden of pages) {
      const difference = await compareNow({ readers, findAdapter }, golden)
      await recordProofCheck(sql, golden, { version, difference })
      if (difference !== null)
        log.warn(
          { source: golden.source, difference },
          'the adapter now reads other values from the golden page of a source',
        )
    }
    if (pages.length < BATCH) return
  }
}

const compareNow = async (
  { readers, findAdapter }: Pick<ProofCheckDeps, 'readers' | 'findAdapter'>,
  golden: StoredGoldenPage,
): Promise<string | null> => {
  const adapter = findAdapter(golden.vendor)
  if (adapter === null) return `there is no adapter for ${golden.vendor}`
  try {
    const set = await decodePageSet(golden.pageHash, golden.page)
    return await findDifference(readers, adapter, { ...golden, set })
  } catch (error) {
    const { code, message } = describeFailure(error)
    return `${code}: ${message}`
  }
}

/** Checks the proofs now and each minute, until `stop`. */
export const repeatProofChecks = (
  deps: ProofCheckDeps,
  onError: (error: unknown) => void,
): { stop: () => Promise<void> } => {
  let isStopped = false
  let running: Promise<void> = Promise.resolve()
  let isRunning = false
  const check = () => {
    if (isRunning || isStopped) return
    isRunning = true
    running = checkProofs(deps)
      .catch(onError)
      .finally(() => {
        isRunning = false
      })
  }
  const timer = setInterval(check, CHECK_EVERY_MS)
  timer.unref()
  check()
  return {
    stop: async () => {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}
