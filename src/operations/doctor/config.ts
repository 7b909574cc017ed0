import { existsSync } from 'node:fs'
import { isLoopbackName } from '../../../core/network/loopback'
import { packageManager } from '../../../package.json'
import { listInstances } from '../../../search/index/instances'
import { type Config, isLocalOnly } from '../../config'
import { type Diagnosis, fault, ok, warn } from './diagnosis'
import { listMisspelled } from './misspelled-variables'

/** Warns about settings that work but are risky. `readConfig` finds errors that prevent a start. */
export const examineConfig = (config: Config): Diagnosis[] => {
  const diagnoses: Diagnosis[] = []
  const warnOf = (what: string, advice: string) => diagnoses.push(warn('configuration', what, advice))
  const isLocalKeyMade = config.databaseUrl === null && config.bootstrapKeys === null
  if (!isLocalKeyMade && !new Set(config.bootstrapKeys?.values()).has('admin')) {
    const what = config.bootstrapKeys === null ? 'is not set' : 'has no key with the capability admin'
    warnOf(
      `SERVICE_API_KEYS ${what}: there is no admin key`,
      'set it to {"KEY": {"capabilities": ["admin"]}}; openssl rand -hex 32 makes a KEY',
    )
  }
  if (!isLoopbackName(new URL(config.baseUrl).hostname) && !config.baseUrl.startsWith('https:')) {
    warnOf(
      'BASE_URL is not https: keys are sent unencrypted',
      'put an HTTPS proxy in front, and set BASE_URL to its https:// URL',
    )
  }
  if (config.meili !== null && listInstances(config.meili).some(({ masterKey }) => masterKey === null)) {
    warnOf(
      'MEILI_MASTER_KEY is not set: Meilisearch accepts requests without a key',
      'start Meilisearch with a master key, and set MEILI_MASTER_KEY',
    )
  }
  if (config.databaseUrl !== null && config.meili === null) {
    warnOf(
      'MEILI_URL is not set: each process with the role api or sync uses a Meilisearch of its own, so only one can run',
      'set it before you start these roles in several processes',
    )
  }
  if (config.databaseUrl !== null && config.redisUrl === null) {
    warnOf('REDIS_URL is not set: only one process can run jobs', 'set it before you start several workers')
  }
  if (config.databaseUrl === null && config.identityProvider === null && !isLocalOnly(config)) {
    warnOf(
      'HOST or BASE_URL reaches beyond this machine and OIDC_ISSUER is not set: nobody can sign in',
      'set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or keep HOST and BASE_URL on this machine',
    )
  }
  if (!existsSync(config.chromiumPath)) {
    warnOf(
      `Chromium not found at ${config.chromiumPath}: some portals cannot be scraped`,
      'install chromium where workers run, or set CHROMIUM_PATH',
    )
  }
  for (const { name, meant } of listMisspelled(process.env)) {
    warnOf(`${name} is set, but nothing reads it`, `rename it if ${meant} is meant, or remove it`)
  }
  return diagnoses.length > 0 ? diagnoses : [ok('configuration', 'complete')]
}

export const examineBun = (): Diagnosis[] => {
  const [, wanted] = packageManager.split('@')
  return Bun.version === wanted
    ? [ok('Bun', Bun.version)]
    : [warn('Bun', `${Bun.version}; the service is tested with ${wanted}`, `npm install -g bun@${wanted}`)]
}

/** The error of `readConfig` as a finding. */
export const badConfig = (message: string): Diagnosis =>
  fault('configuration', message, 'correct the variable: .env.example describes all of them')
