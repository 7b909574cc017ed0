import type { Logger } from 'pino'
import { sweepLoads } from '../../drizzle/queries/loads/end-load'
import { WORK_KINDS } from '../../drizzle/queries/work/work-kinds'
import { doLoadWork } from '../loads/do-load-work'
import type { WorkRunner } from './runner'

/** Loads of different sources may run together. */
const MAX_AT_ONCE = 2

/** Applies and undoes loads. A command that reads a file does the work itself; if it dies, this runner continues. */
export const createLoadRunner = ({ log }: { log: Logger }): WorkRunner => ({
  kind: WORK_KINDS.load,
  mostAtOnce: MAX_AT_ONCE,
  mostFailures: 3,
  sweep: sweepLoads,
  run: (work, { sql, signal }) => doLoadWork(sql, work, { signal, log }),
})
