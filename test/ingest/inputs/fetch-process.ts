import { connectDatabase } from '../../../core/postgres/database'
import { fetchFile } from '../../../src/loads/fetch-file'

/* A program for fetch-file.test.ts: fetches the file of an address until it is killed. */

const [databaseUrl = '', workDir = '', address = ''] = process.argv.slice(2)
await fetchFile(
  connectDatabase(databaseUrl),
  { file_id: null, address },
  {
    ...{ databaseUrl, workDir, userAgent: 'test', allowPrivateSources: true },
    portals: { approach: async () => {}, heed: () => {} },
  },
  { loaded: null, signal: new AbortController().signal, say: () => {} },
)
