import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as client from '../../clients/typescript/src/index'
import { readBlocks } from '../docs/blocks'
import { findChromium, launchChromium } from '../web/browser/chromium'
import { startClientService } from './client-service'
import { runCommand } from './run-command'
import { runScenario } from './scenario'

const service = await startClientService()
const folder = mkdtempSync(join(tmpdir(), 'typescript-client-'))
afterAll(() => rmSync(folder, { recursive: true }))

const expectAllKept = (outcomes: Record<string, string | null>) => {
  expect(Object.entries(outcomes).filter(([, problem]) => problem !== null)).toEqual([])
  expect(Object.keys(outcomes).length).toBeGreaterThan(15)
}

/** Builds the package as it is published, and installs it in a folder. */
const install = async (): Promise<void> => {
  const packed = join(folder, 'packed')
  cpSync('clients/typescript', packed, { recursive: true, filter: (path) => !/dist|node_modules/.test(path) })
  const tsc = ['bun', 'node_modules/typescript-native/bin/tsc']
  await runCommand([...tsc, '-p', 'clients/typescript', '--outDir', join(packed, 'dist')])
  const archive = join(packed, (await runCommand(['bun', 'pm', 'pack', '--quiet'], { cwd: packed })).trim())
  const installed = join(folder, 'node_modules/parcel-data-client')
  mkdirSync(installed, { recursive: true })
  await runCommand(['tar', '-xzf', archive, '-C', installed, '--strip-components=1'])
}

test('Bun: every promise is kept', async () => expectAllKept(await runScenario(client, service.settingOf('bun'))))

describe('the published package', () => {
  beforeAll(install)

  test('Node: every promise is kept', async () => {
    const { outputs } = await Bun.build({ entrypoints: [join(import.meta.dirname, 'scenario.ts')], target: 'node' })
    writeFileSync(join(folder, 'scenario.mjs'), (await outputs[0]?.text()) ?? '')
    writeFileSync(
      join(folder, 'run.mjs'),
      `import * as client from 'parcel-data-client'
       import { runScenario } from './scenario.mjs'
       console.log(JSON.stringify(await runScenario(client, ${JSON.stringify(service.settingOf('node'))})))`,
    )
    expectAllKept(JSON.parse(await runCommand(['node', 'run.mjs'], { cwd: folder })))
  })

  const chromium = findChromium()
  test.skipIf(chromium === null)('Chromium, from a page of another origin: every promise is kept', async () => {
    writeFileSync(
      join(folder, 'page.ts'),
      `import * as client from 'parcel-data-client'
       import { runScenario } from ${JSON.stringify(join(import.meta.dirname, 'scenario.ts'))}
       Object.assign(globalThis, { run: (setting) => runScenario(client, setting) })`,
    )
    const { outputs } = await Bun.build({ entrypoints: [join(folder, 'page.ts')], target: 'browser' })
    const script = (await outputs[0]?.text()) ?? ''
    const pages = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(`<!doctype html><script type="module">${script}</script>`, {
          headers: { 'content-type': 'text/html' },
        }),
    })
    const page = await (await launchChromium(chromium ?? '')).newPage()
    await page.goto(`http://localhost:${pages.port}/`)
    await page.waitForFunction('"run" in globalThis')
    expectAllKept(await page.evaluate(`run(${JSON.stringify(service.settingOf('chromium'))})`))
    await pages.stop(true)
  })

  describe('README', () => {
    const blocks = readBlocks('clients/typescript/README.md')

    test('its examples run', async () => {
      const examples = blocks.filter(({ language }) => language === 'ts')
      expect(examples.length).toBeGreaterThan(4)
      const program = examples.map(({ text }) => text.replaceAll('http://localhost:3000', service.base)).join('\n')
      writeFileSync(join(folder, 'example.ts'), program)
      const printed = await runCommand(['bun', 'example.ts'], { cwd: folder, env: { KEY: service.key } })
      expect(printed).toContain('NORTHCOTE SCOTT')
      expect(existsSync(join(folder, 'larkspur.parquet'))).toBe(true)
    })

    test('its examples are correctly typed, however a project finds modules', async () => {
      symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'))
      for (const name of ['bun-types', 'csstype', 'undici-types'])
        symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
      const names = blocks
        .filter(({ language }) => ['ts', 'tsx'].includes(language))
        .map(({ text, language }, index) => {
          const needsClient = !text.includes('new ParcelData(')
          const client = needsClient
            ? "import { ParcelData } from 'parcel-data-client'\nconst client = new ParcelData()\n"
            : ''
          const name = `typed-${index}.${language}`
          writeFileSync(join(folder, name), `${client}${text}\nexport {}\n`)
          return name
        })
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      for (const module of [
        ['nodenext', 'nodenext'],
        ['esnext', 'bundler'],
      ]) {
        const options = `--ignoreConfig --noEmit --strict --target es2022 --jsx react-jsx --types bun --module ${module[0]} --moduleResolution ${module[1]}`
        await runCommand(
          [
            'bun',
            resolve('node_modules/typescript-native/bin/tsc'),
            ...options.split(' '),
            '--skipLibCheck',
            '--lib',
            'es2022,dom',
            ...names,
          ],
          { cwd: folder },
        )
      }
    })
  })
})
