/*
 * What tests need and the machine lacks, installed with apt-get where that works. With CI=true what is missing then fails the
 * run; elsewhere it is named, and the tests that need it say so.
 */
const TOOLS = [{ command: 'redis-server', aptPackage: 'redis-server', neededBy: 'the queue in Redis' }]

const run = (command: string[]): boolean => {
  console.log(command.join(' '))
  const { exitCode } = Bun.spawnSync(command, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return exitCode === 0
}

const listMissing = () => TOOLS.filter(({ command }) => Bun.which(command) === null)

const install = (packages: string[]): boolean => {
  if (Bun.which('apt-get') === null) return false
  const asRoot = process.getuid?.() === 0 ? [] : Bun.which('sudo') === null ? null : ['sudo', '-n']
  if (asRoot === null) return false
  // Debian starts a server as soon as it is installed: tests start their own.
  const apt = [...asRoot, 'env', 'RUNLEVEL=1', 'apt-get', '-qq', '-y', '--no-install-recommends']
  return run([...apt, 'update']) && run([...apt, 'install', ...packages])
}

if (listMissing().length > 0) install(listMissing().map(({ aptPackage }) => aptPackage))
const missing = listMissing()
for (const { command, neededBy } of missing) console.error(`${command} is missing: ${neededBy} cannot be tested`)
if (missing.length > 0 && process.env.CI === 'true') process.exit(1)
