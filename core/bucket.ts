import { waitAtMost } from './concurrency/wait-at-most'
import { hasCode } from './error-code'
import { ServiceError } from './service-error'

/** Error codes for missing or wrong credentials, from buckets and from Bun. */
const REFUSALS = [
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'NoSuchBucket',
  'ERR_S3_MISSING_CREDENTIALS',
  'ERR_S3_INVALID_ENDPOINT',
]

export interface StoredObject {
  /** Without the prefix of the bucket. */
  key: string
  sizeBytes: number
  storedAt: Date
}

/** An S3 bucket, or the part of it below a prefix. */
export interface Bucket {
  file: (key: string) => Bun.S3File
  /**
   * Sends a request about objects and returns the answer. Null: there is no such object. An upload of `sentBytes` may take longer.
   *
   * @throws ServiceError `server_unavailable` when the bucket does not answer in time, `bad_config` when it denies access
   */
  ask: <Answer>(question: () => Promise<Answer>, sentBytes?: number) => Promise<Answer | null>
  /** All objects whose keys begin with `folder`. */
  list: (folder: string) => Promise<StoredObject[]>
}

export interface BucketOptions extends Bun.S3Options {
  /** How long the bucket may take to answer. */
  answerMs?: number
}

/** Bun's client waits without a limit for a server that is frozen. */
const ANSWER_MS = 10_000
/**
 * Bun cannot cancel a request, and sends at most 4,096 at a time (BUN_CONFIG_MAX_HTTP_REQUESTS). If as many wait for a bucket, nothing else
 * is sent: no search, no scrape, no webhook. So with this many, a bucket gets one more at a time, until it answers.
 */
const MAX_UNANSWERED = 200
/** The slowest upload, 1 MB/s. */
const SENT_BYTES_PER_MS = 1_000

let hasLate = false

/** Whether a request was not answered in time. It keeps the process alive until the bucket answers or closes the connection. */
export const hasLateRequests = (): boolean => hasLate

export const isBucket = (url: string): boolean => url.startsWith('s3://')

/**
 * Opens `s3://bucket/prefix`. Endpoint, region and credentials come from `options`, else from the environment, under the usual names
 * (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, ...). `what` names the bucket in messages: "the tile store".
 */
export const openBucket = (
  url: string,
  what: string,
  { answerMs = ANSWER_MS, ...options }: BucketOptions = {},
): Bucket => {
  const [bucket = '', ...folders] = url.slice('s3://'.length).replace(/\/+$/, '').split('/')
  const prefix = folders.map((folder) => `${folder}/`).join('')
  // Bun 1.4.5 calls this variable AWS_ENDPOINT. The command line of AWS and its libraries call it AWS_ENDPOINT_URL.
  const endpoint = options.endpoint ?? process.env.AWS_ENDPOINT_URL?.trim()
  const client = new Bun.S3Client({ ...options, ...(endpoint ? { endpoint } : {}), bucket })

  const unavailable = (cause: unknown) =>
    new ServiceError('server_unavailable', `${what} is not available, try again shortly`, { cause })

  let unanswered = new Set<Promise<unknown>>()
  let isProbing = false

  /** The answer, or `late`. @throws what `question` throws, and ServiceError if too many requests are unanswered */
  const askInTime = async <Answer>(question: () => Promise<Answer>, limitMs: number): Promise<Answer | 'late'> => {
    const isProbe = unanswered.size >= MAX_UNANSWERED
    if (isProbe && isProbing) throw unavailable(new Error(`${url} has not answered ${unanswered.size} requests`))
    isProbing ||= isProbe
    const request = question()
    const waiting = unanswered.add(request)
    const settle = () => waiting.delete(request)
    request.then(settle, settle)
    let isLate = false
    try {
      const answer = await waitAtMost(limitMs, request)
      isLate = answer === 'late'
      return answer
    } finally {
      if (isProbe) isProbing = false
      // The bucket works again, but it may have forgotten the other requests.
      if (isProbe && !isLate) unanswered = new Set()
    }
  }

  const ask: Bucket['ask'] = async (question, sentBytes = 0) => {
    const limitMs = answerMs + sentBytes / SENT_BYTES_PER_MS
    try {
      const answer = await askInTime(question, limitMs)
      if (answer === 'late') {
        hasLate = true
        throw unavailable(new Error(`${url} did not answer within ${limitMs} ms`))
      }
      return answer as Exclude<typeof answer, 'late'>
    } catch (error) {
      if (hasCode(error, 'NoSuchKey', 'NotFound')) return null
      if (hasCode(error, ...REFUSALS)) {
        // Bun's own message has the names of its options.
        const why = hasCode(error, 'ERR_S3_MISSING_CREDENTIALS')
          ? 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set'
          : (error as Error).message
        throw new ServiceError('bad_config', `${url} cannot be used: ${why}`, { cause: error })
      }
      if (!(error instanceof Error && error.name === 'S3Error')) throw error
      throw unavailable(error)
    }
  }

  return {
    file: (key) => client.file(`${prefix}${key}`),
    ask,
    list: async (folder) => {
      const objects: StoredObject[] = []
      let continuationToken: string | undefined
      do {
        const after = continuationToken
        const page = await ask(() =>
          client.list({ prefix: `${prefix}${folder}`, ...(after === undefined ? {} : { continuationToken: after }) }),
        )
        for (const { key, size, lastModified } of page?.contents ?? []) {
          objects.push({
            key: key.slice(prefix.length),
            sizeBytes: size ?? 0,
            storedAt: new Date(lastModified ?? 0),
          })
        }
        continuationToken = page?.nextContinuationToken
      } while (continuationToken !== undefined)
      return objects
    },
  }
}
