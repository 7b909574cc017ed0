/** Makes a test for a step that is repeated often: true at the first call, and then at most once per `everyMs`. */
export const atMostEvery = (everyMs: number): (() => boolean) => {
  let lastAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now < lastAt + everyMs) return false
    lastAt = now
    return true
  }
}
