import type { MultiPolygon, Point } from 'geojson'
import type { LicensedSources } from '../../drizzle/queries/exports/list-licenses'
import type { ListedParcel } from '../parcels/list-parcels'
import type { ExportColumn } from './export-columns'

/** Where the parcels of an export are from. */
export interface ExportOrigin {
  /** The export has every change up to this version. */
  dataset_version: number
  licenses: readonly LicensedSources[]
}

/** The content of an export. */
export interface ExportShape {
  columns: readonly ExportColumn[]
  withGeometry: boolean
  /** Whether there are points, for parcels without a boundary. */
  withPoints: boolean
  origin: ExportOrigin
  /** A folder for temporary files. */
  workDir: string
  /**
   * Call it with the number of bytes of a temporary file before writing them.
   *
   * @throws ServiceError `exports_full`
   */
  reserve: (bytes: number) => void
}

/** Consecutive parcels, in the form that the database writes. */
export type ParcelRows = readonly ListedParcel[]

export interface ExportFormat {
  mediaType: string
  /** With its dot. */
  extension: string
  /** Whether it can be sent while parcels are still read. The other formats are written to a file first. */
  isStreamable: boolean
  /** Whether gzip makes it smaller. */
  isText: boolean
  /** Whether it requires boundaries. */
  needsGeometry: boolean
  encode: (pages: AsyncIterable<ParcelRows>, shape: ExportShape) => AsyncGenerator<Uint8Array<ArrayBuffer>>
}

/** The fields of parcels by name. */
export const parseValues = (rows: ParcelRows): Record<string, unknown>[] =>
  JSON.parse(`[${rows.map(({ body }) => body).join(',')}]`)

/** The place of a parcel. */
export type Place = MultiPolygon | Point

/** Null: it is unknown or was not requested. */
export const parsePlace = ({ geom }: ListedParcel): Place | null =>
  geom === null ? null : (JSON.parse(geom) as Place | null)

/** A boundary is stored unchanged, so it can have line breaks between tokens. */
export const onOneLine = (json: string): string => (/[\r\n]/.test(json) ? json.replaceAll(/[\r\n]/g, ' ') : json)
