import type { Input } from '../formats/format'
import { UnreadableFile } from '../rows/unreadable-file'

/** A file geodatabase, which is a folder that only GDAL reads. */
export const openFolder = (name: string, gdalPath: string): Input => {
  const refuse = () => {
    throw new UnreadableFile(`${name} is a folder: only file geodatabases are read as folders`)
  }
  return {
    name,
    head: new Uint8Array(0),
    sizeBytes: null,
    read: refuse,
    beside: async () => null,
    path: refuse,
    gdalPath,
  }
}
