import { existsSync } from 'node:fs'
import { isDumpThere } from './pg-dump'
import { CHROMIUM } from './web/chromium-path'

/*
 * What tests need and the machine lacks, installed with apt-get where that works. With CI=true what is missing then fails the
 * run, unless there is something to test `instead`; elsewhere it is named, and the tests that need it say so.
 */
const TOOLS: {
  name: string
  isThere: () => boolean
  aptPackage: string
  neededBy: string
  instead?: string
}[] = [
  {
    name: 'redis-server',
    isThere: () => Bun.which('redis-server') !== null,
    aptPackage: 'redis-server',
    neededBy: 'the queue in Redis',
  },
  {
    name: `Chromium at ${CHROMIUM} (CHROMIUM_PATH)`,
    isThere: () => existsSync(CHROMIUM),
    aptPackage: 'chromium',
    neededBy: 'the pages of the map',
  },
  {
    name: 'docker-compose',
    isThere: () => Bun.which('docker-compose') !== null,
    aptPackage: 'docker-compose',
    neededBy: 'compose.yaml',
  },
  {
    name: 'caddy',
    isThere: () => Bun.which('caddy') !== null,
    aptPackage: 'caddy',
    neededBy: 'the Caddyfile',
  },
  {
    name: 'pg_dump 18',
    isThere: isDumpThere,
    // Of PostgreSQL's own repository where the distribution is older.
    aptPackage: 'postgresql-client-18',
    neededBy: 'backup and restore',
    instead: 'the server copies the database',
  },
  {
    name: 'createdb',
    isThere: () => Bun.which('createdb') !== null,
    aptPackage: 'postgresql-client',
    neededBy: 'backup and restore',
  },
]

const run = (command: string[]): boolean => {
  console.log(command.join(' '))
  const { exitCode } = Bun.spawnSync(command, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return exitCode === 0
}

const listMissing = () => TOOLS.filter(({ isThere }) => !isThere())

/** One at a time: a package that is not to be had does not keep the others away. */
const install = (packages: string[]): void => {
  if (Bun.which('apt-get') === null) return
  const asRoot = process.getuid?.() === 0 ? [] : Bun.which('sudo') === null ? null : ['sudo', '-n']
  if (asRoot === null) return
  // Debian starts a server as soon as it is installed: tests start their own.
  const apt = [...asRoot, 'env', 'RUNLEVEL=1', 'apt-get', '-qq', '-y', '--no-install-recommends']
  run([...apt, 'update'])
  for (const name of packages) run([...apt, 'install', name])
}

if (listMissing().length > 0) install(listMissing().map(({ aptPackage }) => aptPackage))
const missing = listMissing()
for (const { name, neededBy, instead } of missing) {
  const consequence = instead === undefined ? `${neededBy} cannot be tested` : `for ${neededBy} ${instead} instead`
  console.error(`${name} is missing: ${consequence}`)
}
if (missing.some(({ instead }) => instead === undefined) && process.env.CI === 'true') process.exit(1)
