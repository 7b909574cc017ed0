import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The rules of axe about colors that are checked by default. */
const COLOR_RULES: readonly string[] = ['color-contrast', 'link-in-text-block']

interface Axe {
  _audit: { rules: { id: string; impact?: string }[] }
  run: (
    root: unknown,
    options: { resultTypes: string[]; runOnly?: readonly string[]; rules?: Record<string, { enabled: boolean }> },
  ) => Promise<{
    violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[]
  }>
}

/** The serious and critical faults that axe finds on the page as it is. `only`: checks these rules alone. */
export const findFaults = async (page: Page, only?: readonly string[]): Promise<string[]> => {
  // Through the debugger, because the page's policy allows no foreign script element.
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE)
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    const { document } = globalThis as unknown as { document: unknown }
    // Rules whose faults are at most moderate take a quarter of the processor time.
    const lesser = axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    const rules = Object.fromEntries(lesser.map(({ id }) => [id, { enabled: false }]))
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      ...(only === null ? { rules } : { runOnly: only }),
    })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
      )
  }, only ?? null)
}

/** The faults in the light and the dark theme. They differ in colors alone, so all other rules are checked once. */
export const findFaultsInBothThemes = async (page: Page): Promise<string[]> => {
  const faults: string[] = []
  for (const [colorScheme, only] of [
    ['light', undefined],
    ['dark', COLOR_RULES],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    faults.push(...(await findFaults(page, only)).map((fault) => `${colorScheme}: ${fault}`))
  }
  return faults
}
