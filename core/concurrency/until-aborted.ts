/** The result of `work`. Rejects with the signal's reason as soon as it aborts; the outcome of the work is then ignored. */
export const untilAborted = <Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
