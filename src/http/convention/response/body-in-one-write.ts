/** With its headers, a larger body exceeds the 16 KB in which Bun collects a response before it sends it. */
const MAX_COLLECTED = 14_000

type Content = string | Uint8Array<ArrayBuffer>

/**
 * The body of a response that may be large. If the handler has awaited something, Bun 1.4.5 sends each name, value and separator of the
 * headers of a large response by itself (oven-sh/bun, pull request 41341). With 12 headers these are 60 system calls and packets, and take
 * four times as long as the rest of the response. It sends a stream together with its headers. Such a response has no Content-Length.
 */
export const bodyInOneWrite = (content: Content): Content | ReadableStream<Uint8Array> =>
  content.length <= MAX_COLLECTED ? content : toStream(content)

const encoder = new TextEncoder()

const toStream = (content: Content): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: (controller) => {
      controller.enqueue(typeof content === 'string' ? encoder.encode(content) : content)
      controller.close()
    },
  })
