/** With its headers, a larger body exceeds the 16 KB in which Bun collects a response before it sends it. */
const MAX_COLLECTED = 14_000

/** Parts of a body follow each other. */
type Content = string | Uint8Array<ArrayBuffer> | readonly Uint8Array[]

/**
 * The body of a response that may be large. If the handler has awaited something, Bun 1.4.5 sends each name, value and separator of the
 * headers of a large response by itself (oven-sh/bun, pull request 41341). With 12 headers these are 60 system calls and packets, and take
 * four times as long as the rest of the response. It sends a stream together with its headers. Such a response has no Content-Length.
 */
export const bodyInOneWrite = (content: Content): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> => {
  if (typeof content === 'string')
    return content.length <= MAX_COLLECTED ? content : toStream(() => [encoder.encode(content)])
  const parts = content instanceof Uint8Array ? [content] : content
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  return size <= MAX_COLLECTED ? Buffer.concat(parts) : toStream(() => parts)
}

const encoder = new TextEncoder()

const toStream = (getParts: () => readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: (controller) => {
      for (const part of getParts()) controller.enqueue(part)
      controller.close()
    },
  })
