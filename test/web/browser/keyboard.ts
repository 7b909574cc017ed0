import type { Page } from 'playwright-core'
import { WAIT_TIMEOUT_MS } from '../../support/deadlines'

/** The data that the script of a walk stores in the page. */
declare global {
  var walk: { controls: unknown[]; reached: unknown[]; faint: string[] }
}

/** Functions for scripts in a page. */
const IN_PAGE = `
  const CONTROLS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]'
  const isInUse = (one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.closest('[inert]') === null && one.checkVisibility({ visibilityProperty: true })
  // Of the radio buttons of a group, Tab reaches one.
  const isGroupMember = (one) => one.type === 'radio' && !one.checked
  const listControls = (root) => [...root.querySelectorAll(CONTROLS)].filter((one) => isInUse(one) && !isGroupMember(one))
  const nameOf = (one) => one.tagName.toLowerCase() + ' "' + (one.getAttribute('aria-label') ?? one.textContent.trim() ?? '').slice(0, 60) + '"'
`

/** Waits until the page has drawn the result of a key press. */
const UNTIL_READY = `
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const untilReady = async () => {
    await frame()
    await frame()
    for (const end = performance.now() + ${WAIT_TIMEOUT_MS}; !isReady() && performance.now() < end;) await frame()
    await frame()
  }
`

/**
 * Presses Tab from the start of the page, or of its main part, to the end. The faults: controls that Tab does not reach, or not in the
 * order of the page, and controls that do not show that they have the focus.
 */
export const walkByTab = async (page: Page, from: 'body' | 'main' = 'body'): Promise<string[]> => {
  const count = await page.evaluate<number>(`(() => {
    ${IN_PAGE}
    const start = document.querySelector('${from}')
    window.walk = { controls: listControls(start), reached: [], faint: [] }
    document.addEventListener('focusin', ({ target }) => {
      walk.reached.push(target)
      const { outlineStyle, outlineWidth } = getComputedStyle(target)
      const { width, height } = target.getBoundingClientRect()
      const isShown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1 && width > 0 && height > 0
      if (!isShown && !target.matches('dialog, main')) walk.faint.push(nameOf(target))
    })
    document.activeElement.blur()
    // The next Tab starts there.
    const top = document.createElement('span')
    top.tabIndex = -1
    start.prepend(top)
    top.focus()
    top.remove()
    walk.reached.length = walk.faint.length = 0
    return walk.controls.length
  })()`)
  // Regions that scroll are stops as well.
  for (let press = 0; press < count + 10; press++) await page.keyboard.press('Tab')
  return page.evaluate<string[]>(`(() => {
    ${IN_PAGE}
    const { controls, reached, faint } = walk
    const places = controls.filter((one) => one.isConnected && isInUse(one)).map((one) => [one, reached.indexOf(one)])
    const missed = places.filter(([, place]) => place === -1).map(([one]) => 'not reached: ' + nameOf(one))
    const order = places.filter(([, place]) => place !== -1)
    const moved = order.filter(([, place], index) => index > 0 && place < order[index - 1][1]).map(([one]) => 'out of order: ' + nameOf(one))
    return [...missed, ...moved, ...new Set(faint.map((name) => 'no sign of focus: ' + name))]
  })()`)
}

/**
 * Presses each button of the main part of the page as Enter does, and Escape in the dialogs that open; of buttons with the same words, the
 * first one. The service refuses what would change something. The faults: focus that is lost, or outside of an open dialog, dialogs that
 * Escape does not close, and dialogs that do not give the focus back.
 */
export const pressButtons = async (page: Page): Promise<string[]> => {
  const names = await page.evaluate<string[]>(`(() => {
    ${IN_PAGE}
    window.sendForReal ??= window.fetch
    window.fetch = (input, init = {}) => {
      const method = init.method ?? input.method ?? 'GET'
      return method === 'GET' ? sendForReal(input, init) : Promise.resolve(Response.json({ error: 'not in this test' }, { status: 409 }))
    }
    window.isReady = () => document.querySelector('.spinner, [aria-busy=true]') === null && document.querySelector('.shell[data-busy]') === null
    const buttons = listControls(document.querySelector('main')).filter((one) => one.matches('button:not([role=treeitem]), summary'))
    const kinds = Map.groupBy(buttons, (one) => (one.getAttribute('aria-label') === null ? one.textContent : one.className + one.textContent).replace(/\\d+/g, ''))
    window.pressed = [...kinds.values()].map(([first]) => first)
    return pressed.map(nameOf)
  })()`)
  const faults: string[] = []
  for (const [index, name] of names.entries()) {
    const opened = await page.evaluate<{ fault: string | null; isDialog: boolean }>(`(async () => {
      ${IN_PAGE}
      ${UNTIL_READY}
      const button = pressed[${index}]
      const isUsable = button.isConnected && !button.disabled
      if (!isUsable) return { fault: null, isDialog: false }
      button.focus()
      button.click()
      await untilReady()
      const dialog = document.querySelector('dialog[open]')
      const { activeElement } = document
      const fault = activeElement === document.body ? 'focus lost' : dialog?.contains(activeElement) === false ? 'focus on ' + nameOf(activeElement) + ', outside of ' + nameOf(dialog) : null
      return { fault, isDialog: dialog !== null }
    })()`)
    if (opened.fault !== null) faults.push(`${opened.fault}: ${name}`)
    if (!opened.isDialog) continue
    await page.keyboard.press('Escape')
    const closed = await page.evaluate<string | null>(`(async () => {
      ${UNTIL_READY}
      await untilReady()
      if (document.querySelector('dialog[open]') !== null) return 'Escape does not close it'
      return pressed[${index}].isConnected && document.activeElement !== pressed[${index}] ? 'focus not given back' : null
    })()`)
    if (closed !== null) faults.push(`${closed}: ${name}`)
  }
  await page.evaluate('window.fetch = window.sendForReal')
  return faults
}
