import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PortalAccess } from '../../adapters/http/http-client'
import { runEach } from '../../core/concurrency/run-each'
import { removeOld } from '../../core/files/remove-old'
import type { Sql } from '../../core/postgres/database'
import { ServiceError } from '../../core/service-error'
import { download, type FileVersion } from '../ingest/inputs/download'
import { claimDownload } from './claim-download'
import { getWholeFile, toFileName, writeUploadedFile } from './upload-file'

export interface FileDeps {
  databaseUrl: string
  /** The folder for files to read and for interrupted downloads. */
  workDir: string
  portals: Pick<PortalAccess, 'approach' | 'heed'>
  userAgent: string
  allowPrivateSources: boolean
}

/** Where a file is: an upload, or a URL. */
export interface FilePlace {
  file_id: string | null
  address: string | null
}

/** A file on this machine's disk. `version`: as its server identified it. */
export interface FetchedFile extends AsyncDisposable {
  path: string
  version: FileVersion | null
}

/** How long an interrupted download is kept, after which it begins again. */
const KEEP_MS = 2 * 24 * 3_600_000

const DOWNLOADS = 'downloads'
const downloadsOf = (workDir: string) => join(workDir, DOWNLOADS)

/**
 * Fetches a file to this machine's disk. Null: the server still has the version `loaded`. A download is resumed where an earlier one
 * stopped, unless another work uses it. The file is removed when it is disposed.
 *
 * @throws ServiceError `not_found` for an upload that has expired, `conflict` for one that is incomplete; as `download`
 */
export const fetchFile = async (
  sql: Sql,
  { file_id: file, address }: FilePlace,
  { workDir, portals, userAgent, allowPrivateSources }: FileDeps,
  { loaded, signal, say }: { loaded: FileVersion | null; signal: AbortSignal; say: (line: string) => void },
): Promise<FetchedFile | null> => {
  if (address !== null) {
    const claim = claimDownload(downloadsOf(workDir), address)
    // While another work downloads or reads this URL, this one has its own folder, which is not kept.
    const own = claim === null ? join(workDir, Bun.randomUUIDv7()) : null
    const leave = async () => {
      if (own !== null) await rm(own, { recursive: true, force: true })
      claim?.[Symbol.dispose]()
    }
    try {
      const folder = own ?? downloadsOf(workDir)
      const { path, version } = await download(address, {
        folder,
        portals,
        userAgent,
        loaded,
        signal,
        say,
        allowPrivate: allowPrivateSources,
      })
      if (path !== null) return toFetched(path, dirname(path), version, leave)
    } catch (error) {
      await leave()
      throw error
    }
    await leave()
    return null
  }
  if (file === null) throw new ServiceError('bad_input', 'there is neither a file nor an address')
  const { name } = await getWholeFile(sql, file)
  const folder = join(workDir, `${file}-${Bun.randomUUIDv7()}`)
  await mkdir(folder, { recursive: true })
  const path = join(folder, toFileName(name))
  const fetched = toFetched(path, folder, null, async () => {})
  try {
    await writeUploadedFile(sql, file, path, signal)
    return fetched
  } catch (error) {
    await fetched[Symbol.asyncDispose]()
    throw error
  }
}

const toFetched = (
  path: string,
  folder: string,
  version: FileVersion | null,
  leave: () => Promise<void>,
): FetchedFile => ({
  path,
  version,
  [Symbol.asyncDispose]: async () => {
    try {
      await rm(folder, { recursive: true, force: true })
    } finally {
      await leave()
    }
  },
})

/** Removes files that killed processes left behind, and downloads that were never resumed. @throws as `removeOld` */
export const removeOldFiles = (workDir: string): Promise<void> =>
  runEach(
    [() => removeOld(workDir, KEEP_MS, (name) => name !== DOWNLOADS), () => removeOld(downloadsOf(workDir), KEEP_MS)],
    (step) => step(),
  )
