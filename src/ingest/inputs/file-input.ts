import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { Input } from '../formats/format'
import { fileSize, isGzip, readBytes } from './read-bytes'
import { readHead } from './read-head'

/** A file on disk. `onBytes`: the bytes read of the file. @throws ServiceError `bad_input` */
export const openFile = async (path: string, onBytes: (bytes: number) => void = () => {}): Promise<Input> => ({
  name: basename(path),
  head: await readHead(readBytes(path)),
  sizeBytes: isGzip(path) ? null : fileSize(path),
  read: () => readBytes(path, onBytes),
  beside: async (extension) => {
    const found = findBeside(path, extension)
    // The progress shows only the file with the rows.
    return found === null ? null : await openFile(found)
  },
  path: async () => path,
  gdalPath: path,
})

/** Names differ in case: LOTS.SHP, lots.dbf. */
const findBeside = (path: string, extension: string): string | null => {
  const folder = dirname(path)
  const wanted = `${basename(path, extname(path))}.${extension}`.toLowerCase()
  const names = readdirSync(folder)
  const found = names.find((name) => name.toLowerCase() === wanted)
  return found === undefined ? null : join(folder, found)
}
