import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from '../../core/concurrency/once'
import type { Sql } from '../../core/postgres/database'
import type { ExportFile } from '../../drizzle/queries/exports/exports'
import { readServiceSecret } from '../../drizzle/queries/service/service-secret'

const SECRET = 'export-links'
/** How long a link is valid, unless its file expires before. */
const LINK_MS = 24 * 60 * 60 * 1000

export interface DownloadLinks {
  /** The query of a link to the file of an export, and when it expires. */
  sign: (id: string, file: ExportFile) => Promise<{ query: string; expiresAt: Date }>
  /** Whether a link was signed here and has not expired. */
  isValid: (id: string, file: ExportFile, query: { expires: string; signature: string }) => Promise<boolean>
}

/** Links that need no key. A link is for one file: a signature for an export's earlier file is not valid for a later one. */
export const createDownloadLinks = (sql: Sql): DownloadLinks => {
  const readSecret = once(() => readServiceSecret(sql, SECRET))
  const signatureOf = async (id: string, { sha256 }: ExportFile, expires: string): Promise<Buffer> =>
    createHmac('sha256', await readSecret())
      .update(`${id}\n${sha256}\n${expires}`)
      .digest()
  return {
    sign: async (id, file) => {
      const expiresAt = new Date(Math.min(Date.now() + LINK_MS, Date.parse(file.expiresAt)))
      const expires = String(Math.floor(expiresAt.getTime() / 1000))
      const signature = (await signatureOf(id, file, expires)).toString('base64url')
      return { query: `expires=${expires}&signature=${signature}`, expiresAt }
    },
    isValid: async (id, file, { expires, signature }) => {
      if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= Date.now()) return false
      const [given, wanted] = [Buffer.from(signature, 'base64url'), await signatureOf(id, file, expires)]
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    },
  }
}
