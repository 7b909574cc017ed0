import { existsSync } from 'node:fs'

/**
 * Chromium without its windows: a page takes a quarter of the processor time. This is not the script in /usr/bin: when that script is
 * killed, Chromium continues to run.
 */
export const HEADLESS_SHELL = '/usr/lib/chromium/chromium-headless-shell'

/** The path of the system's Chromium, if it is installed. */
export const CHROMIUM = process.env.CHROMIUM_PATH || (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium')
