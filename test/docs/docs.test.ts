import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { scripts } from '../../package.json'
import { findFreePort } from '../../src/operations/embedded/child'
import { GUIDE, type Language, toProgram } from '../../src/web/app/pages/docs/guide'
import { composeConfig, isComposeMissing } from '../operations/deploy/compose-file'
import { findPython } from '../runner/python'
import { PAGE_TIMEOUT_MS, WAIT_TIMEOUT_MS } from '../support/deadlines'
import { waitFor } from '../support/servers'
import { findFaultsInBothThemes } from '../web/browser/axe'
import { findChromium, launchChromium } from '../web/browser/chromium'
import { CHROMIUM } from '../web/browser/chromium-path'
import { startWholeService } from '../web/browser/whole-service'
import { type Block, readBlocks, readProse } from './blocks'
import { listDifferences } from './shape'

/*
 * Runs what README.md, docs/ and the API guide show: commands, TypeScript and Python, in their order, in a copy of the tree, against a
 * service that was started as the README says. A block that cannot run has a comment above it:
 *
 *   <!-- not run: REASON -->
 *   <!-- run by FILE -->                                  another test runs it
 *   <!-- checked with docker-compose config: REASON -->
 */
const PAGES = ['README.md', ...globSync('docs/*.md').sort()]
const MARKDOWN = [
  ...PAGES,
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...globSync('{*,clients/*,test/*,test/endurance/*,adapters/vendors/*}/README.md'),
]
const LANGUAGES = ['sh', 'ts', 'js', 'python']
const COMPOSE = 'checked with docker-compose config: '
const LOOK_AGAIN_MS = 500
const SECRETS = { POSTGRES_PASSWORD: 'a', REDIS_PASSWORD: 'b', MEILI_MASTER_KEY: 'c', SERVICE_API_KEYS: '{}' }

const blocks = PAGES.flatMap(readBlocks).filter(({ language }) => LANGUAGES.includes(language))
const titleOf = ({ file, line, text }: Block) => `${file}:${line} ${text.split('\n')[0]}`

/** Whether the block changes nothing, so that it can run again. */
const isRead = ({ text }: Block): boolean => /^curl (?!.* -[Xd] )[^\n]*$/.test(text)

/** A copy of the tree without built or installed files, for commands that write files into it. */
const copyTree = (): string => {
  const copy = mkdtempSync(join(tmpdir(), 'docs-'))
  for (const name of readdirSync('.').filter((name) => !['.git', '.data', 'node_modules'].includes(name)))
    cpSync(name, join(copy, name), { recursive: true })
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
  return copy
}

const EXAMPLES = GUIDE.flatMap(({ examples }) => examples)
/** CI must run the Python programs. */
const python = process.env.CI === 'true' ? (findPython('httpx') ?? 'python3') : findPython('httpx')

const copy = copyTree()
/** The client as it is in the tree. `test/clients` makes the package and uses that. */
const withClient = (program: string): string =>
  program.replace("'parcel-data-client'", `'${join(copy, 'clients/typescript/src/index')}'`)
const metricsPort = await findFreePort()
const { base, key } = await startWholeService({ DATA_DIR: join(copy, '.data'), METRICS_PORT: String(metricsPort) })
// Hooks run in the order of their registration: the service, whose data is in the copy, has stopped by then. PostgreSQL looks for its
// data once a minute, and exits when they are gone.
afterAll(() => rmSync(copy, { recursive: true, force: true }))
// For `bun run screenshots`: the Chromium that takes the least processor time.
const environment = { ...process.env, PORT: new URL(base).port, KEY: key, CHROMIUM_PATH: CHROMIUM }

describe('commands and examples', () => {
  // The words that misspelled queries are corrected to are read a few seconds after the start; tiles are built then as well.
  beforeAll(() =>
    waitFor(async () => {
      const search = await fetch(`${base}/v1/search?q=notrhcote+scott`, { headers: { 'x-service-key': key } })
      const tiles = await fetch(`${base}/tiles/manifest.json`)
      return 'corrected' in ((await search.json()) as object) && tiles.ok
    }, 60_000),
  )

  const run = async (command: string[]): Promise<string> => {
    const child = Bun.spawn(command, { cwd: copy, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    const [code, said, complained] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    if (code !== 0) throw new Error(`code ${code}: ${said}${complained}`)
    return said
  }

  const write = (name: string, text: string): string => {
    writeFileSync(join(copy, name), text)
    return name
  }

  const runBlock = ({ file, line, language, text: written }: Block): Promise<string> => {
    const text = written.replaceAll('http://localhost:3000', base)
    const name = `${file.replace(/\W/g, '-')}-${line}`
    if (language === 'ts') return run(['bun', write(`${name}.ts`, text)])
    if (language === 'python') return run(['python3', write(`${name}.py`, text)])
    // The variables that earlier blocks exported in a reader's shell.
    const exported = blocks
      .filter((block) => block.file === file && block.line < line && block.note === null && block.language === 'sh')
      .flatMap((block) => block.text.match(/^export .*$/gm) ?? [])
    return run(['bash', '-euo', 'pipefail', '-c', [...exported, text.replaceAll('curl ', 'curl --silent ')].join('\n')])
  }

  const isChromiumMissing = !existsSync(CHROMIUM) && process.env.CI !== 'true'

  for (const block of blocks.filter(({ note }) => note === null)) {
    test.skipIf(isChromiumMissing && block.text.includes('bun run screenshots'))(titleOf(block), async () => {
      const deadline = Date.now() + WAIT_TIMEOUT_MS
      for (;;) {
        const said = await runBlock(block)
        if (block.answer === null) return
        const differences = listDifferences(JSON.parse(block.answer), JSON.parse(said))
        // A job that a block above requested may still be running.
        const isWorthAnotherLook = differences.length > 0 && isRead(block) && Date.now() < deadline
        if (!isWorthAnotherLook) return expect(differences).toEqual([])
        await Bun.sleep(LOOK_AGAIN_MS)
      }
    })
  }

  test('the TypeScript examples are correctly typed', async () => {
    const modules = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text)
    const programs = EXAMPLES.map((example) => withClient(toProgram(example, 'TypeScript', { base, key })))
    const files = [...modules, ...programs].map((text, index) => write(`typed-${index}.ts`, `${text}\nexport {}\n`))
    const options =
      '--ignoreConfig --noEmit --strict --skipLibCheck --target esnext --module esnext --moduleResolution bundler'
    await run(['bun', 'node_modules/typescript-native/bin/tsc', ...options.split(' '), '--types', 'bun', ...files])
  })

  test('every metric that operate.md alerts on exists', async () => {
    const [, alerts = ''] = /\n### Alerts from metrics\n(.*?)\n## /s.exec(readFileSync('docs/operate.md', 'utf8')) ?? []
    const named = [...new Set(alerts.match(/\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g))]
    const exposed = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((name) => !exposed.includes(name))).toEqual([])
  })

  test('data.md and parcel-fields.md name every field that a file can contain', async () => {
    const help = await run(['bun', 'run', 'ingest', '--help'])
    const fields = [...help.matchAll(/^Fields of an? \w+: ((?:.|\n(?!Fields))*)/gm)].flatMap(([, list = '']) =>
      list.trim().split(/,\s+/),
    )
    const data = readFileSync('docs/data.md', 'utf8') + readFileSync('docs/parcel-fields.md', 'utf8')
    expect(fields).toContain('registry_number')
    expect(fields.filter((field) => !data.includes(`\`${field}\``))).toEqual([])
  })
})

describe('the API guide', () => {
  /** Runs the programs in this process, because each start of Bun takes longer than the program. Returns what it prints. */
  const runTypeScript = async (name: string, program: string): Promise<string> => {
    const file = join(copy, `${name}.ts`)
    writeFileSync(file, `${withClient(program)}\nexport {}\n`)
    const log = spyOn(console, 'log').mockImplementation(() => {})
    try {
      await import(file)
      return log.mock.calls.map((values) => Bun.inspect(values)).join('\n')
    } finally {
      log.mockRestore()
    }
  }

  const runCurl = async (program: string): Promise<string> => {
    const child = Bun.spawn(['sh', '-c', program.replace('curl ', 'curl --silent --show-error --fail ')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [code, printed, error] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    expect([code, error]).toEqual([0, ''])
    return printed
  }

  /** What each program prints, or its error. One process runs all of them, because importing httpx takes longer than a program. */
  const runPython = async (): Promise<Record<string, { printed: string; error: string | null }>> => {
    for (const example of EXAMPLES)
      writeFileSync(join(copy, `${example.id}.py`), toProgram(example, 'Python', { base, key }))
    const files = EXAMPLES.map(({ id }) => join(copy, `${id}.py`))
    const child = Bun.spawn([python ?? 'python3', resolve('test/docs/run-programs.py'), ...files], {
      cwd: copy,
      env: { ...environment, PYTHONPATH: join(copy, 'clients/python') },
      stderr: 'inherit',
    })
    return JSON.parse(await new Response(child.stdout).text())
  }
  let ranPython: ReturnType<typeof runPython> | undefined

  for (const example of EXAMPLES) {
    const programIn = (language: Language) => toProgram(example, language, { base, key })

    test(`${example.id}: the curl command works as pasted`, async () => {
      expect((await runCurl(programIn('curl'))).trim()).not.toBe('')
    })

    test(`${example.id}: the TypeScript program works`, async () => {
      expect(await runTypeScript(example.id, programIn('TypeScript'))).not.toBe('')
    })

    test.skipIf(python === null)(`${example.id}: the Python program works`, async () => {
      ranPython ??= runPython()
      const ran = (await ranPython)[example.id]
      expect(ran).toEqual({ printed: expect.stringMatching(/\S/), error: null })
    })
  }

  const chromium = findChromium()
  test.skipIf(chromium === null)(
    'a reader types a key, sends a request with other values, and copies the command',
    async () => {
      const browser = await launchChromium(chromium ?? '')
      const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: base })
      const page = await context.newPage()
      page.setDefaultTimeout(PAGE_TIMEOUT_MS)
      const complaints: string[] = []
      const addresses: string[] = []
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load')) complaints.push(message.text())
      })
      page.on('request', (request) => addresses.push(request.url()))
      await page.goto(`${base}/docs`)
      await page.click('nav[aria-label="API guide"] a:has-text("Look up")')
      await page.waitForURL('**/docs#look-up')

      // Without a key, the page asks for one.
      const card = page.locator('article#parcel')
      await card.getByRole('button', { name: 'Try it' }).click()
      await card.getByLabel('Use an API key').fill(key)
      await card.getByRole('button', { name: 'Use', exact: true }).click()
      await card.getByText(`X-Service-Key: ${key}`).waitFor()

      // By keyboard: another language, another value, and the request.
      await card.getByRole('radio', { name: 'curl' }).focus()
      await page.keyboard.press('ArrowRight')
      await card.getByRole('region', { name: 'Get one parcel in TypeScript' }).waitFor()
      await card.getByText('Change the values').click()
      await card.getByLabel('id', { exact: true }).fill('12-0001-0010')
      await page.keyboard.press('Enter')
      await card.getByText('200 OK').waitFor()
      const response = card.getByRole('region', { name: 'Response: Get one parcel' })
      const parcel = JSON.parse((await response.textContent()) ?? '')
      expect(parcel).toMatchObject({ source_parcel_id: '12-0001-0010', owner_name: 'WEBB LINH A' })
      await card.getByText('quote it when you report a problem').waitFor()
      expect(await findFaultsInBothThemes(page)).toEqual([])

      await card.getByRole('button', { name: 'Copy the command' }).click()
      await card.getByText('Copied').waitFor()
      const command = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(JSON.parse(await runCurl(command))).toMatchObject({ owner_name: 'WEBB LINH A' })

      expect(addresses.filter((address) => address.includes(key))).toEqual([])
      expect(complaints).toEqual([])
      await context.close()
    },
  )

  test.skipIf(chromium === null)(
    'an address of the API reference from before there was a guide opens the reference',
    async () => {
      const browser = await launchChromium(chromium ?? '')
      const page = await browser.newPage()
      await page.goto(`${base}/docs#/sources/listSourceHealth`)
      await page.waitForURL('**/docs/reference#/sources/listSourceHealth')
      await page.close()
    },
  )
})

describe('blocks that are not run', () => {
  const noted = blocks.filter(({ note }) => note !== null)

  test('each says why, or which test runs it', () => {
    for (const block of noted) {
      const note = block.note ?? ''
      const elsewhere = /^run by (\S+)$/.exec(note)?.[1]
      if (elsewhere === undefined) expect(note).toMatch(/^(not run|checked with docker-compose config): ./)
      else expect([elsewhere, existsSync(elsewhere)]).toEqual([elsewhere, true])
      for (const file of note.match(/test\/\S+\.ts/g) ?? []) expect([file, existsSync(file)]).toEqual([file, true])
    }
  })

  test.skipIf(isComposeMissing)('docker-compose accepts the file, which has the services that are scaled', () => {
    const { services, refusal } = composeConfig(SECRETS)
    expect(refusal).toBe('')
    const composed = noted.filter(({ note }) => note?.startsWith(COMPOSE))
    expect(composed.length).toBeGreaterThan(0)
    for (const { text } of composed)
      for (const [, name = ''] of text.matchAll(/--scale (\w+)=/g)) expect(Object.keys(services)).toContain(name)
  })
})

describe('pages', () => {
  test('README.md has at most 150 lines', () => {
    expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  test('each folder at the top has a README', () => {
    const folders = readdirSync('.', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name)
    expect(folders.filter((name) => !existsSync(join(name, 'README.md')))).toEqual([])
  })

  test('no link is broken', () => {
    const dead = PAGES.concat(MARKDOWN).flatMap((file) =>
      [
        ...readProse(file)
          .join('\n')
          .matchAll(/\]\(([^)\s]+)\)/g),
      ]
        .map(([, link = '']) => link)
        .filter((link) => !/^https?:/.test(link))
        .filter((link) => {
          const [path = '', anchor] = link.split('#')
          const target = path === '' ? file : join(dirname(file), path)
          return !existsSync(target) || (anchor !== undefined && !listAnchors(target).includes(anchor))
        })
        .map((link) => `${file}: ${link}`),
    )
    expect(dead).toEqual([])
  })

  test('the files that pages name exist', () => {
    const named = PAGES.flatMap((file) =>
      [
        ...readProse(file)
          .join('\n')
          .matchAll(/`((?:core|src|adapters|drizzle|search|tiles-build|dev|test|deploy)\/[\w./-]+)`/g),
      ].map(([, path = '']) => path),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })

  test('`bun run NAME` is a script of package.json', () => {
    const named = MARKDOWN.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bbun run ([a-z][a-z:-]*)/g)].map(([, name = '']) => `${file}: ${name}`),
    )
    expect(named.filter((entry) => !Object.hasOwn(scripts, entry.replace(/^.*: /, '')))).toEqual([])
  })

  test('commands are in fenced blocks, where this test finds them', () => {
    const indented = PAGES.flatMap((file) =>
      readProse(file).filter((line) => /^ {4,}(bun|npm|curl|docker|git|cp|pg_\w+|createdb) /.test(line)),
    )
    expect(indented).toEqual([])
  })

  test('operate.md has every setting of .env.example that is the service’s own', () => {
    const example = readFileSync('.env.example', 'utf8').split(/^# --- /m)
    const settings = example
      .filter((section) => section.startsWith('The service'))
      .flatMap((section) => [...section.matchAll(/^(?:# )?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name))
    const [, table = ''] = /\n## Settings\n(.*?)\n## /s.exec(readFileSync('docs/operate.md', 'utf8')) ?? []
    expect(settings.length).toBeGreaterThan(20)
    expect(settings.filter((name) => !table.includes(`\`${name}\``))).toEqual([])
  })
})

/** Anchors of a page's headings, as GitHub makes them. */
function listAnchors(file: string): string[] {
  return readProse(file)
    .filter((line) => /^#+ /.test(line))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    )
}
