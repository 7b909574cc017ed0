export interface ByteRange {
  start: number
  /** Exclusive. */
  end: number
}

/** The part of a file that a Range header requests (RFC 9110, 14.2). */
export type RequestedRange = ByteRange | 'all' | 'unsatisfiable'

const SINGLE = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i

/**
 * Parses a single range, from either end. If the header is missing, malformed or requests several ranges, the whole file is sent:
 * the standard allows that, and every client can handle it.
 */
export const parseRange = (header: string | null, sizeBytes: number): RequestedRange => {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? []
  if (first === '' && last === '') return 'all'
  if (first === '') {
    const suffix = Math.min(Number(last), sizeBytes)
    return suffix === 0 ? 'unsatisfiable' : { start: sizeBytes - suffix, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'all'
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}
