import { afterAll } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM } from './chromium-path'

/** Path of the system's Chromium; null when there is none. With CI=true that is an error, because no test may be skipped there. */
export const findChromium = (): string | null => {
  if (existsSync(CHROMIUM)) return CHROMIUM
  if (process.env.CI === 'true')
    throw new Error(`there is no Chromium at ${CHROMIUM}: install it, or set CHROMIUM_PATH`)
  return null
}

/**
 * SwiftShader draws the map, because there is no graphics card. The rest of a page needs no WebGL and is drawn without SwiftShader, which
 * takes a fifth less processor time.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-gpu-compositing',
  // Pages of tests close before V8's slowest compiler has paid off.
  '--js-flags=--no-opt',
]

/** A browser for a test file. */
export const launchChromium = async (path: string): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath: path, args: ARGUMENTS })
  afterAll(() => browser.close())
  return browser
}
