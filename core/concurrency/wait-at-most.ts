import { setDeadline } from './deadline'

/** The result of `promise`, or `late` if it takes longer than `timeoutMs`. */
export const waitAtMost = async <Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value | 'late'> => {
  const late = Promise.withResolvers<'late'>()
  const cancel = setDeadline(timeoutMs, () => late.resolve('late'))
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    cancel()
  }
}
