import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

interface Axe {
  run: (
    root: unknown,
    options: { resultTypes: string[] },
  ) => Promise<{
    violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[]
  }>
}

/** What axe calls serious or critical on a page as it stands: none, on a page that everyone can use. */
export const findFaults = async (page: Page): Promise<string[]> => {
  // By the debugger, not by a script element: the page's policy takes no script but its own.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const { document } = globalThis as unknown as { document: unknown }
    const { violations } = await axe.run(document, { resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
      )
  })
}

/** On the page as it is, light and dark. */
export const findFaultsInBothThemes = async (page: Page): Promise<string[]> => {
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    faults.push(...(await findFaults(page)).map((fault) => `${colorScheme}: ${fault}`))
  }
  return faults
}
