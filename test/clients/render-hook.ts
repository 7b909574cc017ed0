import { afterAll, beforeAll } from 'bun:test'
import { Window } from 'happy-dom'
import { createElement } from 'react'
import { waitFor } from '../support/servers'

const GLOBALS = ['window', 'document'] as const

/** Renders hooks in happy-dom. Call it once in a `describe`. */
export const useHooksInDom = () => {
  const before = new Map<string, PropertyDescriptor | undefined>()
  const unmounts: (() => void)[] = []
  beforeAll(() => {
    const window = new Window()
    const values = { window, document: window.document }
    for (const name of GLOBALS) {
      before.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
      Object.defineProperty(globalThis, name, { value: values[name], configurable: true, writable: true })
    }
  })
  afterAll(async () => {
    for (const unmount of unmounts) unmount()
    // React ends its work in timers of 0 ms, which still need the DOM.
    await Bun.sleep(10)
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name)
      else Object.defineProperty(globalThis, name, descriptor)
    }
  })
  return async <Props extends object, Result>(useHook: (props: Props) => Result, props: Props) => {
    // It looks for the DOM when it is loaded.
    const { createRoot } = await import('react-dom/client')
    const results: Result[] = []
    const Probe = (given: Props) => {
      results.push(useHook(given))
      return null
    }
    const root = createRoot(
      (globalThis as unknown as { document: { createElement: (tag: string) => never } }).document.createElement('div'),
    )
    const render = async (next: Props) => {
      const before = results.length
      root.render(createElement(Probe, next))
      await waitFor(() => results.length > before)
    }
    const unmount = () => root.unmount()
    await render(props)
    unmounts.push(unmount)
    return {
      /** All results, the latest one last. */
      results,
      latest: () => results.at(-1) as Result,
      render,
      unmount,
    }
  }
}
