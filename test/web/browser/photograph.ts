import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Pictures of the page in the light and the dark theme and on a phone, for people to look at. `SCREENSHOTS` names their folder. */
export const photograph = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  const before = page.viewportSize() ?? { width: 1440, height: 900 }
  for (const [theme, width, height] of [
    ['light', 1440, 900],
    ['dark', 1440, 900],
    ['light', 390, 844],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height })
    // The map draws itself again.
    await page.waitForTimeout(1_500)
    await page.screenshot({ path: join(folder, `${name}-${width === 390 ? 'phone' : theme}.png`) })
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(before)
}
