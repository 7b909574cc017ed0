export interface ByteRange {
  start: number
  /** The byte after the last. */
  end: number
}

/** What a Range header asks of `sizeBytes` bytes (RFC 9110, 14.2). */
export type AskedRange = ByteRange | 'all' | 'unsatisfiable'

const SINGLE = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i

/**
 * One range, from either end. A header that is none, or that asks for several ranges, is answered with everything: the
 * standard leaves that to the server, and every client copes with it.
 */
export const parseRange = (header: string | null, sizeBytes: number): AskedRange => {
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
