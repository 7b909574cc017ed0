import { setDeadline } from '../../../../core/concurrency/deadline'

export interface ByteStreamOptions {
  /** The stream ends when its reader takes nothing for this long. */
  stallMs: number
  /** Throws when the stream must end. Called before a part is created, at most once in `checkEveryMs`. */
  check: () => Promise<void>
  checkEveryMs: number
  /** Called once, when the stream has ended in any way. */
  onEnd: () => void
}

/**
 * A response body of parts. Each part is created when the reader has taken the previous one. A stalled reader keeps one part in memory,
 * and only for a limited time. After an error the connection is closed, so that the reader knows that the body is not complete.
 */
export const toByteStream = (
  parts: AsyncGenerator<Uint8Array>,
  { stallMs, check, checkEveryMs, onEnd }: ByteStreamOptions,
): ReadableStream<Uint8Array> => {
  let cancelStall = () => {}
  let checkedAt = performance.now()
  let hasEnded = false
  const end = async (): Promise<void> => {
    cancelStall()
    if (hasEnded) return
    hasEnded = true
    onEnd()
    await parts.return(undefined).catch(() => {})
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        cancelStall()
        try {
          if (performance.now() > checkedAt + checkEveryMs) {
            await check()
            checkedAt = performance.now()
          }
          const { done, value } = await parts.next()
          if (done === true) {
            controller.close()
            return await end()
          }
          controller.enqueue(value)
          cancelStall = setDeadline(stallMs, () => {
            controller.error(new Error(`the reader took nothing for ${stallMs} ms`))
            void end()
          })
        } catch (error) {
          controller.error(error)
          await end()
        }
      },
      cancel: end,
    },
    // A part is created only on demand.
    new CountQueuingStrategy({ highWaterMark: 0 }),
  )
}
