import type { Db } from '../../../core/postgres/database'
import { probe } from '../../../core/postgres/probe'

/** Whether the server answers: in time, too late, or not at all. */
export const ping = async (db: Db, timeoutMs: number): Promise<'up' | 'late' | 'away'> => {
  const deadline = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => deadline.resolve('late'), timeoutMs)
  const answer = await Promise.race([
    probe(db).then(
      () => 'up' as const,
      () => 'away' as const,
    ),
    deadline.promise,
  ])
  clearTimeout(timer)
  return answer
}
