import { parseArgs } from 'node:util'
import { runCommand, UsageError } from './command/command'
import { ingestFiles } from './ingest/ingest-files'
import { ingestRollFiles } from './ingest/ingest-roll-files'
import { OPTIONS } from './ingest/options'
import { USAGE } from './ingest/usage'

await runCommand(async () => {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS })
  if (values.help) return console.log(USAGE)
  const [what, ...files] = positionals
  if (what !== 'parcels' && what !== 'entities' && what !== 'roll') {
    throw new UsageError('ingest takes parcels, roll or entities', USAGE)
  }
  if (files.length === 0) throw new UsageError(`FILE is missing: bun run ingest ${what} ... FILE (see --help)`)
  if (what === 'roll') await ingestRollFiles(values, files)
  else await ingestFiles(what, values, files)
})
