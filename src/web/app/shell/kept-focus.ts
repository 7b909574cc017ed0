/**
 * Keeps the keyboard focus. When the focused element is removed or disabled, a browser drops the focus. Here the nearest element around a
 * removed one gets it, and a disabled one gets it back when it is enabled again.
 */
export const keepFocus = (): (() => void) => {
  /** The element that had the focus last, and those around it. */
  let path: HTMLElement[] = []
  const remember = ({ target }: FocusEvent) => {
    path = []
    for (let one = target as HTMLElement | null; one !== null && one !== document.body; one = one.parentElement)
      path.push(one)
  }
  const repair = () => {
    const [last] = path
    if (last === undefined || document.activeElement !== document.body) return
    if (last.isConnected) {
      if (!last.matches(':disabled')) last.focus({ preventScroll: true })
      return
    }
    const heir = path.find((one) => one.isConnected)
    if (heir === undefined) return
    if (!heir.hasAttribute('tabindex')) heir.tabIndex = -1
    heir.focus({ preventScroll: true })
  }
  const forget = () => {
    path = []
  }
  /** While the focus moves to another element, no element has it. A change of the page at that moment must not give it back to the old one. */
  const forgetWhenPassedOn = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null) forget()
  }
  const observer = new MutationObserver(repair)
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
  document.addEventListener('focusin', remember)
  // In the capture phase, `blur` arrives before the element's own listeners, which can change the page.
  document.addEventListener('blur', forgetWhenPassedOn, { capture: true })
  // A click on an empty part of the page removes the focus on purpose.
  document.addEventListener('pointerdown', forget)
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', remember)
    document.removeEventListener('blur', forgetWhenPassedOn, { capture: true })
    document.removeEventListener('pointerdown', forget)
  }
}
