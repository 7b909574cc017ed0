import type { ExportRequest } from './export-request'
import { FORMATS } from './formats'

/** The extension and the media type of an export's file. */
export const fileTypeOf = ({ format, gzip }: Pick<ExportRequest, 'format' | 'gzip'>) => {
  const { extension, mediaType } = FORMATS[format]
  return gzip ? { extension: `${extension}.gz`, mediaType: 'application/gzip' } : { extension, mediaType }
}
