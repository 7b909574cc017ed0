import { describe, expect, test } from 'bun:test'
import { ParcelData } from '../../clients/typescript/src/index'
import { useTypeahead } from '../../clients/typescript/src/react'
import { seedSampleCounty } from '../../dev/sample-county/load'
import { createSearch } from '../../search/search'
import { ADMIN_KEY, createTestApp } from '../http/test-app'
import { PATIENT } from '../search/patient'
import { waitFor } from '../support/servers'
import { useHooksInDom } from './render-hook'

const { app, sql, useSearch } = await createTestApp()
await seedSampleCounty(sql, { parcels: 60, entities: 0 })
useSearch(createSearch({ sql, meili: null, limits: PATIENT }))

interface Sent {
  q: string | null
  signal: AbortSignal
  /** Lets the service respond. */
  release: () => void
}

/** A client whose requests wait until the test lets them through. */
const createGatedClient = () => {
  const sent: Sent[] = []
  const client = new ParcelData({
    baseUrl: 'http://localhost',
    key: ADMIN_KEY,
    maxRetries: 0,
    fetch: async (url, init) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const signal = init.signal as AbortSignal
      signal.addEventListener('abort', () => reject(signal.reason))
      sent.push({ q: new URL(url).searchParams.get('q'), signal, release: resolve })
      await promise
      return app.handle(new Request(url, { headers: init.headers ?? {} }))
    },
  })
  return { client, sent }
}

/** A response instead of that of the service. */
type Failure = (init: RequestInit) => Promise<Response>

describe('useTypeahead', () => {
  const renderHook = useHooksInDom()
  const render = async (client: ParcelData, text: string, delayMs = 5) =>
    renderHook((props: { text: string }) => useTypeahead(client, props.text, { limit: 3, delayMs, retryMs: 5 }), {
      text,
    })

  test('only the last of several quick keystrokes is searched for', async () => {
    const { client, sent } = createGatedClient()
    const hook = await render(client, 'gl', 1_000)
    for (const text of ['gle', 'glen', 'glenh', 'glenham']) await hook.render({ text })
    expect(hook.latest()).toMatchObject({ isSearching: true, results: [], answer: null })
    await waitFor(() => sent.length > 0)
    sent[0]?.release()
    await waitFor(() => !hook.latest().isSearching)
    expect(sent.map(({ q }) => q)).toEqual(['glenham'])
    const { results, answeredText, error } = hook.latest()
    expect([results.length > 0, results.length <= 3, answeredText, error]).toEqual([true, true, 'glenham', null])
  })

  test('a keystroke aborts the search before it, and its hits stay until the new ones are there', async () => {
    const { client, sent } = createGatedClient()
    const hook = await render(client, 'glenham')
    await waitFor(() => sent.length === 1)
    sent[0]?.release()
    await waitFor(() => hook.latest().results.length > 0)
    const { results } = hook.latest()
    await hook.render({ text: 'collins' })
    await waitFor(() => sent.length === 2)
    expect(hook.latest()).toMatchObject({ results, answeredText: 'glenham', isSearching: true })
    await hook.render({ text: 'collins r' })
    await waitFor(() => sent[1]?.signal.aborted === true)
    await waitFor(() => sent.length === 3)
    sent[1]?.release()
    sent[2]?.release()
    await waitFor(() => !hook.latest().isSearching)
    expect(hook.latest().answeredText).toBe('collins r')
    expect(hook.results.map(({ answeredText }) => answeredText)).not.toContain('collins')
  })

  test('a text that is too short shows nothing and sends nothing', async () => {
    const { client, sent } = createGatedClient()
    const hook = await render(client, 'glenham')
    await waitFor(() => sent.length === 1)
    sent[0]?.release()
    await waitFor(() => hook.latest().results.length > 0)
    await hook.render({ text: ' n ' })
    expect(hook.latest()).toEqual({ results: [], answer: null, answeredText: null, isSearching: false, error: null })
    expect(sent.length).toBe(1)
  })

  test('an error is shown, the hits stay, and the next answer removes it', async () => {
    const { client, sent } = createGatedClient()
    const hook = await render(client, 'glenham')
    await waitFor(() => sent.length === 1)
    sent[0]?.release()
    await waitFor(() => hook.latest().results.length > 0)
    const { results } = hook.latest()
    useSearch({ search: () => Promise.reject(new Error('down')) })
    await hook.render({ text: 'glenham h' })
    await waitFor(() => sent.length === 2)
    sent[1]?.release()
    await waitFor(() => hook.latest().error !== null)
    expect(hook.latest()).toMatchObject({ results, isSearching: false, error: { code: 'internal_error', status: 500 } })
    useSearch(createSearch({ sql, meili: null, limits: PATIENT }))
    await hook.render({ text: 'glenham he' })
    await waitFor(() => sent.length === 3)
    sent[2]?.release()
    await waitFor(() => hook.latest().error === null)
    expect(hook.latest().answeredText).toBe('glenham he')
  })

  /** A client whose requests fail as long as there is a failure, without retries of its own. */
  const createFailingClient = (failure: Failure | null) => {
    const sent: string[] = []
    const service = { failure }
    const client = new ParcelData({
      baseUrl: 'http://localhost',
      key: ADMIN_KEY,
      maxRetries: 0,
      fetch: async (url, init) => {
        sent.push(url)
        return service.failure?.(init) ?? app.handle(new Request(url, { headers: init.headers ?? {} }))
      },
    })
    return { client, sent, service }
  }

  test.each<[string, string, Failure]>([
    ['not reachable', 'network', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['busy', 'unavailable', async () => Response.json({ error: 'busy' }, { status: 503 })],
    [
      'frozen',
      'timeout',
      ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    ],
  ])('after the service was %s, the hits appear without another keystroke', async (_, code, failure) => {
    const { client, service } = createFailingClient(failure)
    const options = { limit: 3, delayMs: 5, retryMs: 5, timeoutMs: 1_000 }
    const hook = await renderHook(({ text }: { text: string }) => useTypeahead(client, text, options), {
      text: 'glenham',
    })
    await waitFor(() => hook.latest().error !== null)
    expect(hook.latest()).toMatchObject({ error: { code }, isSearching: false })
    service.failure = null
    await waitFor(() => hook.latest().results.length > 0)
    expect(hook.latest()).toMatchObject({ answeredText: 'glenham', error: null })
  })

  test('a search that the service refused is not sent again', async () => {
    const refused = createFailingClient(async () => Response.json({ error: 'no' }, { status: 400 }))
    const busy = createFailingClient(async () => Response.json({ error: 'busy' }, { status: 503 }))
    const hook = await render(refused.client, 'glenham')
    await waitFor(() => hook.latest().error !== null)
    // Meanwhile, another hook sends its search several times.
    await render(busy.client, 'glenham')
    await waitFor(() => busy.sent.length > 3)
    expect(refused.sent.length).toBe(1)
  })

  test('a search is aborted when its component is gone', async () => {
    const { client, sent } = createGatedClient()
    const hook = await render(client, 'glenham')
    await waitFor(() => sent.length === 1)
    hook.unmount()
    await waitFor(() => sent[0]?.signal.aborted === true)
  })
})
