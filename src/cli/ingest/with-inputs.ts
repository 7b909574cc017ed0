import { basename, join } from 'node:path'
import { type Config, readConfig } from '../../config'
import { fetchInputs } from '../../ingest/inputs/fetch-input'

/** Runs a step on the files that the arguments name: paths, URLs, or `-`. A signal stops it. */
export const withInputs = async (
  files: readonly string[],
  run: (paths: readonly string[], signal: AbortSignal, config: Config) => Promise<void>,
): Promise<void> => {
  const config = readConfig()
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  await using inputs = await fetchInputs(files, {
    ...{ folder: join(config.dataDir, 'downloads'), signal: stop.signal },
    say: (line) => console.error(line),
  })
  await run(inputs.paths, stop.signal, config)
}

/** The name of an argument: a path, a URL, or `-`. */
export const nameOf = (file: string): string =>
  file === '-' ? 'standard-input' : basename(file.replace(/[?#].*$/, ''))
