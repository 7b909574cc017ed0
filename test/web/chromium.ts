import { afterAll } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Where the system has its Chromium; null: nowhere. With CI=true that is an error: nothing may be skipped there. */
export const findChromium = (): string | null => {
  const path = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
  if (existsSync(path)) return path
  if (process.env.CI === 'true') throw new Error(`there is no Chromium at ${path}: install it, or set CHROMIUM_PATH`)
  return null
}

/** A browser for a test file. SwiftShader draws the map where there is no graphics card. */
export const launchChromium = async (path: string): Promise<Browser> => {
  const browser = await chromium.launch({ executablePath: path, args: ['--no-sandbox', '--use-angle=swiftshader'] })
  afterAll(() => browser.close())
  return browser
}
