import { existsSync } from 'node:fs'

const DEBIAN = '/usr/bin/python3'

/** The Python for which the distribution has httpx and geopandas. */
export const PYTHON = process.env.PYTHON_PATH || (existsSync(DEBIAN) ? DEBIAN : 'python3')

/** Whether it has a module. */
export const hasModule = (name: string): boolean =>
  Bun.which(PYTHON) !== null &&
  Bun.spawnSync([PYTHON, '-c', `import importlib.util as u, sys; sys.exit(u.find_spec('${name}') is None)`])
    .exitCode === 0
