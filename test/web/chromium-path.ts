/** Where the system's Chromium is, if it is anywhere. */
export const CHROMIUM = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
