import { afterAll, beforeAll } from 'bun:test'
import { environmentManager, QueryClientProvider } from '@tanstack/react-query'
import { Window } from 'happy-dom'
import { createElement } from 'react'
import { waitFor } from '../../support/servers'

/** What the app's code reads from the browser. `fetch` and its classes stay Bun's. */
const GLOBALS = [
  ...['window', 'document', 'location', 'history', 'navigator', 'sessionStorage', 'matchMedia', 'getComputedStyle'],
  ...[
    'addEventListener',
    'removeEventListener',
    'dispatchEvent',
    'scrollTo',
    'requestAnimationFrame',
    'cancelAnimationFrame',
  ],
  ...[
    'Node',
    'Element',
    'HTMLElement',
    'HTMLIFrameElement',
    'SVGElement',
    'Event',
    'FormData',
    'MutationObserver',
    'ResizeObserver',
    'IntersectionObserver',
  ],
] as const

const ORIGIN = 'http://localhost'
/** React warns about updates outside of `act` while this is set. */
const reactActs = (isActing: boolean): void => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: isActing })
}
/** One window for all files of a process: the app's modules hold on to the first one that they see. */
let window: Window | undefined

/**
 * The web app in happy-dom, without a browser: its components run in this process, and its requests go to `handle`. The window is as
 * wide as a phone, so that no map opens. Layout, colors and maps need Chromium.
 */
export const useAppInDom = (handle: (request: Request) => Response | Promise<Response>) => {
  const before = new Map<string, PropertyDescriptor | undefined>()
  let unmount = () => {}
  const dom = () => {
    if (window === undefined) throw new Error('the DOM exists while tests run')
    return window
  }

  beforeAll(() => {
    // The library was loaded without a window. On a server, queries are not repeated after an interval.
    environmentManager.setIsServer(() => false)
    // Scripts of pages are not run: `enableJavaScriptEvaluation` is off by default.
    window ??= new Window({ url: `${ORIGIN}/`, width: 390, height: 844 })
    for (const name of [...GLOBALS, 'fetch']) {
      before.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
      const value = name === 'fetch' ? send : name === 'window' ? window : window[name as keyof Window]
      const isMethod = typeof value === 'function' && /^[a-z]/.test(name) && name !== 'fetch'
      Object.defineProperty(globalThis, name, {
        value: isMethod ? value.bind(window) : value,
        configurable: true,
        writable: true,
      })
    }
  })
  afterAll(async () => {
    unmount()
    // Nothing of the app may run after its globals are gone. React and its queries use timers of 0 ms, and requests end late. Timers of
    // one length fire in order.
    await Promise.allSettled(sent)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) delete (globalThis as Record<string, unknown>)[name]
      else Object.defineProperty(globalThis, name, descriptor)
    }
  })

  /** A browser sends the session's cookie and the origin by itself. */
  let cookie: string | null = null
  const requests: string[] = []
  const sent = new Set<Promise<Response>>()
  const send = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = answer(input, init)
    sent.add(response)
    const forget = () => sent.delete(response)
    response.then(forget, forget)
    return response
  }
  const answer = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input instanceof Request ? input : new URL(input, ORIGIN), init)
    requests.push(`${request.method} ${request.url.slice(ORIGIN.length)}`)
    if (cookie !== null) request.headers.set('cookie', cookie)
    if (request.method !== 'GET') request.headers.set('origin', ORIGIN)
    const response = await handle(request)
    request.signal.throwIfAborted()
    return response
  }

  const elements = (selector: string, text = ''): Element[] =>
    [...(dom().document.querySelectorAll(selector) as unknown as Iterable<Element>)].filter((element) =>
      element.textContent.includes(text),
    )

  return {
    /** Opens that page, with a key that was typed in, or with a session. */
    open: async (path: string, visitor: { key?: string; cookie?: string } = {}): Promise<void> => {
      unmount()
      // Loaded late: these modules read the globals above.
      const [{ act }, { createRoot }, { App }, { createQueries }, { keepKey }] = await Promise.all([
        import('react'),
        import('react-dom/client'),
        import('../../../src/web/app/app'),
        import('../../../src/web/app/api/queries'),
        import('../../../src/web/app/session/key'),
      ])
      requests.length = 0
      cookie = visitor.cookie ?? null
      keepKey(visitor.key ?? null)
      dom().history.replaceState(null, '', path)
      const element = document.createElement('div')
      document.body.replaceChildren(element)
      const root = createRoot(element)
      const queries = createQueries()
      root.render(createElement(QueryClientProvider, { client: queries }, createElement(App)))
      unmount = () => {
        unmount = () => {}
        // Outside of `act`, React ends the subscriptions of components later, and an answer in between would render them again.
        reactActs(true)
        act(() => root.unmount())
        reactActs(false)
        queries.clear()
      }
      await waitFor(() => elements('main h1').length > 0)
    },
    requests,
    elements,
    texts: (selector: string): string[] => elements(selector).map(({ textContent }) => textContent),
    /** The first element of that kind with that text, as soon as there is one. */
    find: async <Kind extends Element = HTMLElement>(selector: string, text = ''): Promise<Kind> => {
      try {
        await waitFor(() => elements(selector, text).length > 0)
      } catch {
        const page = dom().document.body.textContent.slice(0, 2_000)
        throw new Error(`no ${selector} "${text}" on ${location.href}: ${page}\n${requests.slice(-20).join('\n')}`)
      }
      return elements(selector, text)[0] as Kind
    },
    gone: (selector: string, text = ''): Promise<void> => waitFor(() => elements(selector, text).length === 0),
    /** Replaces the value of a field or a select, as typing does. */
    type: (field: Element, text: string): void => {
      const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')
      // React notices a new value only if it is set with the setter of the prototype.
      own?.set?.call(field, text)
      const name = field.tagName === 'SELECT' ? 'change' : 'input'
      field.dispatchEvent(new (dom().Event)(name, { bubbles: true }) as unknown as Event)
    },
    point: (element: Element, type: string, movement: { movementX: number; movementY: number }): void => {
      element.dispatchEvent(new (dom().PointerEvent)(type, { ...movement, bubbles: true }) as unknown as Event)
    },
    press: (element: Element, key: string, modifiers: { ctrlKey?: boolean; isComposing?: boolean } = {}): void => {
      element.dispatchEvent(
        new (dom().KeyboardEvent)('keydown', {
          key,
          ...modifiers,
          bubbles: true,
          cancelable: true,
        }) as unknown as Event,
      )
    },
  }
}
