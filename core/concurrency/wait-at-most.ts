/** The result of `promise`, or `late` if it takes longer than `timeoutMs`. */
export const waitAtMost = async <Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value | 'late'> => {
  let timer: Timer | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, 'late')
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
