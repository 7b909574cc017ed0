import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Tests that need docker-compose are skipped without it, but never with CI=true. */
export const isComposeMissing = Bun.which('docker-compose') === null && process.env.CI !== 'true'

export interface ComposeService {
  image?: string
  build?: { target: string; args?: Record<string, string> }
  networks?: Record<string, unknown>
  command?: string[]
  entrypoint?: string[]
  environment: Record<string, string | null>
  healthcheck?: { test?: string[] }
  depends_on?: Record<string, { condition: string }>
  deploy?: { replicas?: number; resources?: { limits?: { memory?: string } } }
  restart?: string
  stop_grace_period?: string
  volumes?: string[]
}

/** Runs `docker-compose config` with `env` as .env. Returns the services, or why it refuses the file. */
export const composeConfig = (
  env: Record<string, string>,
): { services: Record<string, ComposeService>; refusal: string } => {
  const dir = mkdtempSync(join(tmpdir(), 'parcel-data-service-compose-'))
  const envFile = join(dir, 'env')
  writeFileSync(
    envFile,
    Object.entries(env)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ['docker-compose', '--env-file', envFile, '--file', 'compose.yaml', 'config'],
    { env: { PATH: process.env.PATH ?? '' } },
  )
  rmSync(dir, { recursive: true })
  if (exitCode !== 0) return { services: {}, refusal: stderr.toString() }
  const { services } = Bun.YAML.parse(stdout.toString()) as { services: Record<string, ComposeService> }
  return { services, refusal: '' }
}
