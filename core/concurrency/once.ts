/** Does the work at the first call and keeps its result. After a failure, the next call does the work again. */
export const once = <Result>(work: () => Promise<Result>): (() => Promise<Result>) => {
  let done: Promise<Result> | undefined
  return () => {
    done ??= work().catch((error) => {
      done = undefined
      throw error
    })
    return done
  }
}
