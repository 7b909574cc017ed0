import { existsSync } from 'node:fs'
import { CHROMIUM, HEADLESS_SHELL } from '../web/browser/chromium-path'
import { isDumpThere } from './pg-dump'
import { findPython } from './python'

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
    name: "Chromium's headless shell",
    isThere: () => process.env.CHROMIUM_PATH !== undefined || existsSync(HEADLESS_SHELL),
    aptPackage: 'chromium-headless-shell',
    neededBy: 'pages in a browser',
    instead: 'Chromium itself is used, which takes four times as much processor time',
  },
  {
    name: `Chromium at ${CHROMIUM} (CHROMIUM_PATH)`,
    isThere: () => existsSync(CHROMIUM),
    aptPackage: 'chromium',
    neededBy: 'pages in a browser',
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
    // From PostgreSQL's own repository if the distribution has an older version.
    aptPackage: 'postgresql-client-18',
    neededBy: 'backup and restore',
    instead: 'the server copies the database',
  },
  {
    name: 'ogr2ogr',
    isThere: () => Bun.which('ogr2ogr') !== null,
    aptPackage: 'gdal-bin',
    neededBy: 'OGC API - Features, and files of exports,',
  },
  {
    name: 'QGIS for Python',
    isThere: () => findPython('qgis') !== null,
    aptPackage: 'python3-qgis',
    neededBy: 'QGIS as a client of OGC API - Features',
    instead: 'only the requests that QGIS sends are tested',
  },
  {
    name: "Python's httpx",
    isThere: () => findPython('httpx') !== null,
    aptPackage: 'python3-httpx',
    neededBy: 'the Python client and the Python examples of the API guide',
  },
  {
    name: "Python's geopandas",
    isThere: () => findPython('geopandas') !== null,
    aptPackage: 'python3-geopandas',
    neededBy: 'the Python client',
  },
  {
    name: 'mypy',
    isThere: () => findPython('httpx', 'mypy') !== null,
    aptPackage: 'mypy',
    neededBy: 'the types of the Python client',
  },
  {
    name: 'node',
    isThere: () => Bun.which('node') !== null,
    aptPackage: 'nodejs',
    neededBy: 'the TypeScript client in Node',
  },
  {
    name: 'createdb',
    isThere: () => Bun.which('createdb') !== null,
    aptPackage: 'postgresql-client',
    neededBy: 'backup and restore',
  },
]

const run = async (command: string[]): Promise<void> => {
  console.log(command.join(' '))
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await Bun.spawn(command, { stdio: ['ignore', 'ignore', 'inherit'], env }).exited
}

const listMissing = () => TOOLS.filter(({ isThere }) => !isThere())

/** Installs one package at a time, so that a package that is not available does not prevent the others. */
const install = async (packages: string[]): Promise<void> => {
  if (Bun.which('apt-get') === null) return
  const asRoot = process.getuid?.() === 0 ? [] : Bun.which('sudo') === null ? null : ['sudo', '-n']
  if (asRoot === null) return
  // RUNLEVEL=1 keeps Debian from starting a server when it is installed. Tests start their own.
  const apt = [...asRoot, 'env', 'RUNLEVEL=1', 'apt-get', '-qq', '-y', '--no-install-recommends']
  await run([...apt, 'update'])
  for (const name of packages) await run([...apt, 'install', name])
}

/**
 * Installs tools that tests need and the machine lacks, if apt-get works. A tool that is still missing is named, and the tests that
 * need it are skipped.
 *
 * @throws Error with CI=true, if a tool is still missing and the tests can do nothing `instead`.
 */
export const installTools = async (): Promise<void> => {
  if (listMissing().length > 0) await install(listMissing().map(({ aptPackage }) => aptPackage))
  const missing = listMissing()
  for (const { name, neededBy, instead } of missing) {
    const consequence = instead === undefined ? `${neededBy} cannot be tested` : `for ${neededBy} ${instead} instead`
    console.error(`${name} is missing: ${consequence}`)
  }
  if (process.env.CI === 'true' && missing.some(({ instead }) => instead === undefined)) {
    throw new Error('with CI=true, all tools must be there')
  }
}
