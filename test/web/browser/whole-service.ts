import { afterAll } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, readCommandLine } from '../../../src/operations/embedded/child'
import { commandOf } from '../../runner/programs'
import { START_TIMEOUT_MS } from '../../support/deadlines'
import { waitFor } from '../../support/servers'

/** The service as `bun start` runs it: all roles, embedded servers of its own, the sample county, and the key that it prints. */
export const startWholeService = async (
  environment: Record<string, string> = {},
): Promise<{ base: string; key: string; dataDir: string; environment: Record<string, string> }> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'whole-service-'))
  const port = await findFreePort()
  const env = { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error', ...environment }
  const child = Bun.spawn(commandOf('src/main.ts'), { stdout: 'pipe', stderr: 'pipe', env: { ...process.env, ...env } })
  let output = ''
  afterAll(async () => {
    child.kill('SIGTERM')
    const code = await child.exited
    if (code !== 0) throw new Error(`the service stopped with code ${code}: ${output}`)
    await waitFor(
      () => !readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && readCommandLine(Number(pid)).includes(dataDir)),
    )
    rmSync(dataDir, { recursive: true, force: true })
  })
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk)
  }
  void collect(child.stdout)
  void collect(child.stderr)
  await waitFor(() => output.includes('Admin key') || child.exitCode !== null, START_TIMEOUT_MS)
  const key = /Admin key[^:]*: (\w+)/.exec(output)?.[1]
  if (key === undefined) throw new Error(`the service did not start: ${output}`)
  return { base: `http://localhost:${port}`, key, dataDir, environment: env }
}
