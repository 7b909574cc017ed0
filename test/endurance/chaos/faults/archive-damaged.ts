import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario } from '../scenario'

export const scenario: Scenario = {
  promise: 'a truncated archive returns 503 and is rebuilt within 75 s',
  roles: ['api', 'tiles'],
  run: async ({ servers, call, recovers }) => {
    const readManifest = async () => {
      const answer = await call('/tiles/manifest.json')
      return answer.ok ? ((await answer.json()) as { parcels: { url: string; size_bytes: number } }).parcels : null
    }
    await recovers('the first archive is published', async () => (await readManifest()) !== null, 30_000)
    const published = await readManifest()
    const path = new URL(published?.url ?? '').pathname
    truncateSync(join(servers.dir, path), Math.floor((published?.size_bytes ?? 0) / 2))
    await recovers('it is answered with 503', async () => (await call(path)).status === 503, 5_000)
    await recovers('it is answered with all of its bytes', async () => (await call(path)).status === 200, 75_000)
  },
}
