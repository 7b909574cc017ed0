import { expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { readBlocks } from '../docs/blocks'
import { findPython } from '../runner/python'
import { startClientService } from './client-service'
import { runCommand } from './run-command'

const python = findPython('httpx', 'geopandas') ?? ''
const typed = findPython('httpx', 'mypy') ?? ''
const isMissing = python === '' && process.env.CI !== 'true'
const service = await startClientService()
const env = {
  PYTHONPATH: resolve('clients/python'),
  PYTHONDONTWRITEBYTECODE: '1',
  SETTING: JSON.stringify(service.settingOf('python')),
}

test.skipIf(isMissing)('every promise of the Python client is kept', async () => {
  await runCommand([python, 'clients/python/tests/test_client.py', '--quiet'], { env })
})

test.skipIf(typed === '' && process.env.CI !== 'true')(
  'strict type checks find no fault in the Python client',
  async () => {
    const cache = join(service.folder, 'mypy')
    await runCommand([typed, '-m', 'mypy', '--cache-dir', cache], { cwd: 'clients/python', env: { NO_COLOR: '1' } })
  },
)

test.skipIf(isMissing)('the examples of its README run', async () => {
  const blocks = readBlocks('clients/python/README.md').filter(
    ({ language, note }) => language === 'python' && note === null,
  )
  const program = blocks.map(({ text }) => text.replaceAll('http://localhost:3000', service.base)).join('\n')
  expect(blocks.length).toBeGreaterThan(2)
  const printed = await runCommand([python, '-c', program], { env: { ...env, KEY: service.key }, cwd: service.folder })
  expect(printed).toContain('NORTHCOTE SCOTT')
})
