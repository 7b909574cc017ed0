import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Reader, Reads } from '../../core/postgres/replicas/reads'
import { ServiceError } from '../../core/service-error'
import { namingFullDisk } from './disk-full'
import { encodeExport } from './encode-export'
import type { ExportOrigin } from './export-format'
import type { ExportRequest } from './export-request'

export interface WriteOptions {
  /** The file to write. */
  path: string
  workDir: string
  /** Maximum bytes of the file and of temporary files together. */
  maxBytes: number
  onRows?: (rows: number) => void
}

export interface WrittenExport extends ExportOrigin {
  rows: number
  sizeBytes: number
  /** In hex. */
  sha256: string
}

/** Each page is a statement of about 50 ms. */
export const PAGE_ROWS = 1_000

/**
 * Writes an export to a file.
 *
 * @throws ServiceError `exports_full` when it needs more than `maxBytes`, or the disk is full
 */
export const writeExport = (
  reads: Reads,
  reader: Reader,
  request: ExportRequest,
  options: WriteOptions,
): Promise<WrittenExport> => namingFullDisk(() => write(reads, reader, request, options))

const write = async (
  reads: Reads,
  reader: Reader,
  request: ExportRequest,
  { path, workDir, maxBytes, onRows = () => {} }: WriteOptions,
): Promise<WrittenExport> => {
  let used = 0
  const reserve = (bytes: number) => {
    used += bytes
    if (used > maxBytes) throw new ServiceError('exports_full', 'there is no room for this export: narrow its filter')
  }
  let rows = 0
  const count = (read: number) => {
    rows = read
    onRows(read)
  }
  const { origin, bytes } = await encodeExport(reads, reader, request, {
    pageRows: PAGE_ROWS,
    workDir,
    reserve,
    onRows: count,
  })
  const hash = createHash('sha256')
  let sizeBytes = 0
  const file = await open(path, 'w')
  try {
    for await (const chunk of bytes) {
      reserve(chunk.length)
      hash.update(chunk)
      sizeBytes += chunk.length
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
  return { ...origin, rows, sizeBytes, sha256: hash.digest('hex') }
}
