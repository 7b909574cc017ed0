import { ScrapeError } from '../scrape-error'

/**
 * The body as text. A body larger than `maxBytes` is refused, or cut off if its start is enough.
 *
 * @throws ScrapeError `too_large`
 */
export const readBody = async (
  response: Response,
  host: string,
  { maxBytes, isStartEnough = false }: { maxBytes: number; isStartEnough?: boolean },
): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the transfer.
    if (size > maxBytes && !isStartEnough)
      throw new ScrapeError(
        'too_large',
        `the response of ${host} is larger than ${maxBytes} bytes (status ${response.status})`,
      )
    chunks.push(chunk)
    if (size > maxBytes) break
  }
  return decodeBody(Buffer.concat(chunks, Math.min(size, maxBytes)), response.headers.get('content-type') ?? '')
}

const CHARSET = /charset\s*=\s*["']?([\w.:-]+)/i
/** `<meta charset=...>` or `<meta http-equiv=... content="...; charset=...">`; a script may have a charset too. */
const META_CHARSET = /<meta\b[^>]*?\bcharset\s*=\s*["']?([\w.:-]+)/i
const META_BYTES = 1024

/** A byte order mark wins over every declaration (Encoding standard, 6). */
const BOMS = [
  { charset: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { charset: 'utf-16le', bytes: [0xff, 0xfe] },
  { charset: 'utf-16be', bytes: [0xfe, 0xff] },
] as const

/**
 * Uses the byte order mark, then the charset of the header, then of the page's `<meta>`, then UTF-8. Bytes that are not valid UTF-8 are
 * read as windows-1252, which old portals use without saying so. Valid UTF-8 is read as such whatever is declared: servers declare
 * iso-8859-1 by default, and no name has letters like `Ã±`. An unknown charset is ignored, and so is UTF-16 for bytes that are not: .NET
 * writes it into the `<meta>` of pages that it then sends in UTF-8.
 */
const decodeBody = (bytes: Uint8Array, contentType: string): string => {
  const marked = BOMS.find(({ bytes: mark }) => mark.every((byte, index) => bytes[index] === byte))
  if (marked !== undefined) return new TextDecoder(marked.charset).decode(bytes)
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, META_BYTES))
  for (const declared of [CHARSET.exec(contentType)?.[1], META_CHARSET.exec(start)?.[1]]) {
    if (declared === undefined) continue
    const decoder = decoderOf(declared)
    if (decoder === null || decoder.encoding === 'x-user-defined') continue
    const isWide = decoder.encoding.startsWith('utf-16')
    if (isWide && !start.includes('\0')) continue
    if (decoder.encoding === 'utf-8' || decoder.encoding === 'windows-1252') break
    // ASCII is valid UTF-8 too, and says nothing.
    if (!isWide && bytes.some((byte) => byte > 0x7f) && decodeUtf8(bytes) !== null) break
    return decoder.decode(bytes)
  }
  return decodeUtf8(bytes) ?? new TextDecoder('windows-1252').decode(bytes)
}

/** Null: not valid UTF-8. */
const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Null: an unknown charset. */
const decoderOf = (charset: string): TextDecoder | null => {
  try {
    return new TextDecoder(charset as Bun.Encoding)
  } catch {
    return null
  }
}
