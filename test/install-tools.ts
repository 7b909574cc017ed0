import { existsSync } from 'node:fs'
import { CHROMIUM } from './web/chromium-path'

/*
 * What tests need and the machine lacks, installed with apt-get where that works. With CI=true what is missing then fails the
 * run; elsewhere it is named, and the tests that need it say so.
 */
const TOOLS = [
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
for (const { name, neededBy } of missing) console.error(`${name} is missing: ${neededBy} cannot be tested`)
if (missing.length > 0 && process.env.CI === 'true') process.exit(1)
