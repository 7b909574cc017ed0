import { basename, join } from 'node:path'
import { readConfig } from '../../config'
import { fetchInputs } from '../../ingest/inputs/fetch-input'
import { listenForStop } from '../command/stop-signal'

/** Runs a step on the files that the arguments name: paths, URLs, or `-`. A signal stops it. */
export const withInputs = async (
  files: readonly string[],
  run: (paths: readonly string[], signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const signal = listenForStop()
  await using inputs = await fetchInputs(files, {
    folder: join(readConfig().dataDir, 'downloads'),
    signal,
    say: (line) => console.error(line),
  })
  await run(inputs.paths, signal)
}

/** The name of an argument: a path, a URL, or `-`. */
export const nameOf = (file: string): string =>
  file === '-' ? 'standard-input' : basename(file.replace(/[?#].*$/, ''))
