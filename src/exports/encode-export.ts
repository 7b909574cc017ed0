import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { bboxOf } from '../../core/geometry/bbox'
import type { Reader, Reads } from '../../core/postgres/replicas/reads'
import { readWatermark } from '../../drizzle/queries/changes/read-watermark'
import { listLicenses } from '../../drizzle/queries/exports/list-licenses'
import { hasPoints } from '../../drizzle/queries/parcels/count-candidates'
import { listParcelPages } from '../parcels/list-parcel-pages'
import type { ListedParcel } from '../parcels/list-parcels'
import { columnsOf } from './export-columns'
import type { ExportOrigin } from './export-format'
import type { ExportRequest } from './export-request'
import { FORMATS } from './formats'

export interface EncodeOptions {
  pageRows: number
  maxRows?: number
  /** For formats that need temporary files. */
  workDir: string
  reserve?: (bytes: number) => void
  /** Called with the number of parcels read so far. */
  onRows?: (rows: number) => void
}

/** Level 5 takes half the time of level 6 for about 2% more bytes. */
const GZIP = { level: 5, chunkSize: 64 * 1024 }

/** The bytes of an export, and its origin. Parcels are read as the bytes are consumed, each page from any server for reads. */
export const encodeExport = async (
  reads: Reads,
  reader: Reader,
  { format: name, gzip, fields, geometry, filter, place }: ExportRequest,
  { pageRows, maxRows, workDir, reserve = () => {}, onRows = () => {} }: EncodeOptions,
): Promise<{ origin: ExportOrigin; bytes: AsyncGenerator<Uint8Array<ArrayBuffer>> }> => {
  const around = place === null ? filter : { ...filter, bbox: bboxOf(place.area) }
  const { origin, withPoints } = await reads.run(reader, async (db, version) => ({
    // The version is read first, so the parcels are at least as new.
    origin: { dataset_version: version ?? (await readWatermark(db)), licenses: await listLicenses(db, around) },
    // The rows of NDJSON are those of the API, whose boundaries are never points.
    withPoints: name !== 'ndjson' && geometry !== 'none' && (await hasPoints(db, around)),
  }))
  const laterReader = { ...reader, atLeast: () => Math.max(origin.dataset_version, reader.atLeast?.() ?? 0) }
  const wanted = { filter, place, fields, geometry, withPoints, order: 'parcel', after: null } as const
  const pages = listParcelPages((query) => reads.run(laterReader, query), wanted, {
    pageRows,
    ...(maxRows === undefined ? {} : { maxRows }),
  })
  const shape = { columns: columnsOf(fields), withGeometry: geometry !== 'none', withPoints, origin, workDir, reserve }
  const bytes = FORMATS[name].encode(countRows(pages, onRows), shape)
  return { origin, bytes: gzip ? compress(bytes) : bytes }
}

async function* countRows(
  pages: AsyncIterable<ListedParcel[]>,
  onRows: (rows: number) => void,
): AsyncGenerator<ListedParcel[]> {
  let rows = 0
  for await (const page of pages) {
    rows += page.length
    yield page
    onRows(rows)
  }
}

/** In a thread of the runtime's pool. */
async function* compress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = Readable.from(bytes)
  const gzip = createGzip(GZIP)
  source.on('error', (error) => gzip.destroy(error))
  try {
    yield* source.pipe(gzip)
  } finally {
    source.destroy()
  }
}
