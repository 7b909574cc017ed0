import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'

/*
 * bun run screenshots: draws pages of the web app as SVG text into docs/images. `bun start` must be running, and KEY be set. Pictures
 * are text, because the repository contains no generated binary files. The map is a canvas, so its parcels are redrawn as paths.
 */
const USAGE = 'KEY=$(cat .data/admin-key) bun run screenshots [--base http://localhost:3000] [--out docs/images]'

const PAGES = [{ name: 'search', path: '/app/search?q=445+phesant+st' }]
const VIEWPORT = { width: 1040, height: 520 }

const { values } = parseArgs({
  options: {
    base: { type: 'string', default: 'http://localhost:3000' },
    out: { type: 'string', default: fileURLToPath(new URL('../../docs/images', import.meta.url)) },
  },
})
const { KEY: key, CHROMIUM_PATH: executablePath = '/usr/bin/chromium' } = process.env
if (key === undefined) {
  console.error(`KEY is not set: ${USAGE}`)
  process.exit(2)
}

const bundleDrawing = async (): Promise<string> => {
  const { outputs } = await Bun.build({
    entrypoints: [fileURLToPath(new URL('./in-page.ts', import.meta.url))],
    format: 'iife',
    minify: true,
  })
  return (await outputs[0]?.text()) ?? ''
}

/** Opens a page with hits on its map. A service that has just started may not find them yet, so this makes several attempts. */
const openPage = async (page: Page, path: string, attempts = 10): Promise<void> => {
  await page.goto(`${values.base}${path}`)
  try {
    await page.waitForSelector('.map[data-ready][data-hits]:not([data-hits="0"])', { timeout: 10_000 })
  } catch (error) {
    if (attempts <= 1) throw error
    await openPage(page, path, attempts - 1)
  }
}

const drawPage = async (page: Page, path: string): Promise<string> => {
  await openPage(page, path)
  await page.waitForLoadState('networkidle')
  await page.evaluate(await bundleDrawing())
  return page.evaluate(() => (globalThis as unknown as { drawPage: () => Promise<string> }).drawPage())
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-angle=swiftshader'] })
try {
  const context = await browser.newContext({ viewport: VIEWPORT, bypassCSP: true, reducedMotion: 'reduce' })
  await context.addInitScript(`sessionStorage.setItem('parcel-key', '${key}')`)
  for (const { name, path } of PAGES) {
    const file = `${values.out}/${name}.svg`
    await Bun.write(file, await drawPage(await context.newPage(), path))
    console.log(file)
  }
} finally {
  await browser.close()
}
