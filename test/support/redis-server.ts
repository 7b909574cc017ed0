import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, spawnServer, waitUntilReady } from '../../src/operations/embedded/child'

/** Tests that need Redis are skipped without it, but never with CI=true. */
export const isRedisMissing = Bun.which('redis-server') === null && process.env.CI !== 'true'

/** Starts a Redis for one test, without persistence: after a kill and a restart it is empty. A restart can use the same `port`. */
export const startRedis = async (port?: number, extraArguments: string[] = []) => {
  const dir = mkdtempSync(join(tmpdir(), 'parcel-data-service-redis-'))
  const logFile = join(dir, 'log')
  const usedPort = port ?? (await findFreePort())
  const child = spawnServer(
    [
      'redis-server',
      '--port',
      String(usedPort),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      dir,
      ...extraArguments,
    ],
    { logFile },
  )
  await waitUntilReady('redis-server', child, {
    probe: () => accepts(usedPort),
    timeoutMs: 10_000,
    logFile,
  })
  return {
    url: `redis://127.0.0.1:${usedPort}`,
    port: usedPort,
    pid: child.pid,
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const accepts = (port: number): Promise<boolean> =>
  Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {}, open: (socket) => void socket.end() } }).then(
    () => true,
    () => false,
  )
