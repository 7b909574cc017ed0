import { afterAll } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM } from './chromium-path'

/** Where the system has its Chromium; null: nowhere. With CI=true that is an error: nothing may be skipped there. */
export const findChromium = (): string | null => {
  if (existsSync(CHROMIUM)) return CHROMIUM
  if (process.env.CI === 'true')
    throw new Error(`there is no Chromium at ${CHROMIUM}: install it, or set CHROMIUM_PATH`)
  return null
}

/** A browser for a test file. SwiftShader draws the map where there is no graphics card. */
export const launchChromium = async (path: string): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox', '--use-angle=swiftshader'] })
  afterAll(() => browser.close())
  return browser
}
