/**
 * Keeps the focus of people who use the keyboard. A browser takes it from an element that is removed or disabled, and gives it to nothing.
 * Here a removed element leaves it to the nearest element around it, and a disabled one gets it back when it can be used again.
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
  // When it is captured, `blur` comes before the listeners of the element, which may change the page.
  document.addEventListener('blur', forgetWhenPassedOn, { capture: true })
  // Somebody who clicks beside everything wants the focus nowhere.
  document.addEventListener('pointerdown', forget)
  return () => {
    observer.disconnect()
    document.removeEventListener('focusin', remember)
    document.removeEventListener('blur', forgetWhenPassedOn, { capture: true })
    document.removeEventListener('pointerdown', forget)
  }
}
