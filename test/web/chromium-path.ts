import { existsSync } from 'node:fs'

/**
 * Chromium without its windows: a page takes a quarter of the processor time. This is not the script in /usr/bin: when that script is
 * killed, Chromium continues to run.
 */
export const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell'

/** Where the system's Chromium is, if it is anywhere. */
export const CHROMIUM = process.env.CHROMIUM_PATH || (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium')
