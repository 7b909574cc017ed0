import { expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { readBlocks } from '../docs/blocks'
import { startClientService } from './client-service'
import { hasModule, PYTHON } from './python-path'
import { runCommand } from './run-command'

const isMissing = !['httpx', 'geopandas'].every(hasModule) && process.env.CI !== 'true'
const service = await startClientService()
const env = {
  PYTHONPATH: resolve('clients/python'),
  PYTHONDONTWRITEBYTECODE: '1',
  SETTING: JSON.stringify(service.settingOf('python')),
}

test.skipIf(isMissing)('every promise of the Python client is kept', async () => {
  await runCommand([PYTHON, 'clients/python/tests/test_client.py', '--quiet'], { env })
})

test.skipIf(isMissing)('the examples of its README run', async () => {
  const blocks = readBlocks('clients/python/README.md').filter(({ language }) => language === 'python')
  const program = blocks.map(({ text }) => text.replaceAll('http://localhost:3000', service.base)).join('\n')
  expect(blocks.length).toBeGreaterThan(2)
  const printed = await runCommand([PYTHON, '-c', program], { env: { ...env, KEY: service.key }, cwd: service.folder })
  expect(printed).toContain('NORTHCOTE SCOTT')
})
