import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DownloadOptions, download } from './download'
import { fileSize } from './read-bytes'

/** Files on disk for the arguments of a command. */
export interface FetchedInputs extends AsyncDisposable {
  paths: string[]
}

/**
 * `-` is standard input, which is stored in a temporary file, because most formats are not read sequentially. A URL is downloaded.
 * Anything else is a path.
 *
 * @throws ServiceError `bad_input`, `network`
 */
export const fetchInputs = async (
  names: readonly string[],
  options: DownloadOptions,
  stdin: () => ReadableStream<Uint8Array> = () => Bun.stdin.stream(),
): Promise<FetchedInputs> => {
  let folder: string | null = null
  const dispose = async () => {
    if (folder !== null) await rm(folder, { recursive: true, force: true })
  }
  const paths: string[] = []
  try {
    for (const name of names) {
      if (name === '-') {
        folder ??= mkdtempSync(join(tmpdir(), 'parcel-stdin-'))
        const path = join(folder, 'standard-input')
        await Bun.write(path, new Response(stdin()))
        paths.push(path)
      } else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) paths.push((await download(name, options)).path ?? '')
      else paths.push(name)
    }
    for (const path of paths) fileSize(path)
  } catch (error) {
    await dispose()
    throw error
  }
  return { paths, [Symbol.asyncDispose]: dispose }
}
