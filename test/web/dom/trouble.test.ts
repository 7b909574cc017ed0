import { describe, expect, test } from 'bun:test'
import { ADMIN_KEY, createTestApp } from '../../http/test-app'
import { waitFor } from '../../support/servers'
import { useAppInDom } from './open-app'

describe('trouble of the whole app', async () => {
  const { app, sql, signIn } = await createTestApp()
  let isDown = false
  let isBusy = false
  let gatewayStatus: number | null = null
  /** Responses wait for it. */
  let held: Promise<void> | null = null
  const { open, find, gone, elements, type, requests } = useAppInDom(async (request) => {
    if (held !== null) {
      const response = await app.handle(request)
      await held
      return response
    }
    if (isDown) throw new TypeError('the network is down')
    if (isBusy) return Response.json({ error: 'the database does not respond' }, { status: 503 })
    if (gatewayStatus !== null) return new Response('', { status: gatewayStatus })
    return app.handle(request)
  })

  test('without a connection, a notice says since when, and Try again removes it when the service is back', async () => {
    await open('/app/coverage', { key: ADMIN_KEY })
    await find('h1', 'Coverage')
    isDown = true
    ;(await find('.top-nav a', 'Watches')).click()
    const notice = await find('.trouble-notices', 'The service has not responded since')
    isDown = false
    notice.querySelector('button')?.click()
    await gone('.trouble-notices [role=status]')
  })

  test('the response to a request that was sent before the network was lost does not remove the notice', async () => {
    await open('/app/coverage', { key: ADMIN_KEY })
    await find('h1', 'Coverage')
    const arrival = Promise.withResolvers<void>()
    held = arrival.promise
    ;(await find('.top-nav a', 'Watches')).click()
    await waitFor(() => requests.some((request) => request.includes('/v1/watches')))
    window.dispatchEvent(new window.Event('offline'))
    await find('.trouble-notices', 'The service has not responded since')
    held = null
    arrival.resolve()
    await find('main .empty', 'You have no watches yet.')
    await find('.trouble-notices', 'The service has not responded since')
    window.dispatchEvent(new window.Event('online'))
    await gone('.trouble-notices [role=status]')
  })

  test('while only a proxy responds, a notice says that the service does not, and the page recovers by itself', async () => {
    for (const status of [502, 503, 504]) {
      await open('/app/coverage', { key: ADMIN_KEY })
      await find('h1', 'Coverage')
      gatewayStatus = status
      ;(await find('.top-nav a', 'Watches')).click()
      await find('.trouble-notices', 'The service has not responded since')
      gatewayStatus = null
      await find('main .empty', 'You have no watches yet.')
      await gone('.trouble-notices [role=status]')
    }
  })

  test('while the service responds with 503, a notice says so after the first response, and requests are repeated', async () => {
    const { cookie } = await signIn({ email: 'ada@larkspur.example' })
    isBusy = true
    await open('/app/watches', { cookie })
    await find('.trouble-notices', 'The service is busy, or a part of it does not respond. Trying again…')
    const account = await find('.menu > button', 'Account')
    account.click()
    await find('.menu-panel', 'it is not known whether you are signed in')
    isBusy = false
    await find('.menu > button', 'ada@larkspur.example')
    await find('main .empty', 'You have no watches yet.')
    expect(elements('.trouble-notices [role=status]')).toHaveLength(0)
  })

  test('a page that showed why its data cannot be read shows the data when the trouble is over', async () => {
    isBusy = true
    await open('/app/exports', { key: ADMIN_KEY })
    await find('main .notice.bad', 'the database does not respond')
    isBusy = false
    await find('main .empty')
    expect(elements('.notice.bad')).toHaveLength(0)
  })

  test('while requests are repeated, neither the notice nor the reason on the page comes and goes', async () => {
    isBusy = true
    await open('/app/exports', { key: ADMIN_KEY })
    await find('main .notice.bad', 'the database does not respond')
    const seen = new Set<string>()
    const look = () => {
      seen.add(
        elements('.trouble-notices, main .notice.bad, main .spinner')
          .map(({ textContent }) => textContent)
          .join(),
      )
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true })
    look()
    const repeats = () => requests.filter((one) => one.startsWith('GET /v1/exports')).length
    const before = repeats()
    // The first attempts, the pause after them, and the first attempts of a repetition.
    await waitFor(() => repeats() > before + 2, 60_000)
    observer.disconnect()
    expect(seen.size).toBe(1)
    isBusy = false
    await find('main .empty')
    await gone('.trouble-notices [role=status]', 'The service is busy')
  })

  test('until it is known who is signed in, a page says that it loads', async () => {
    const { cookie } = await signIn({ email: 'ada@larkspur.example' })
    isBusy = true
    try {
      for (const path of ['/app/watches', '/app/lists', '/app/portfolios', '/app/exports', '/app/search', '/map']) {
        await open(path, { cookie })
        await find('main [role=status]', 'Loading…')
      }
    } finally {
      isBusy = false
    }
  })

  test('a sign-out that fails says so, and the person stays signed in', async () => {
    const { cookie } = await signIn({ email: 'ada@larkspur.example' })
    await open('/app/coverage', { cookie })
    ;(await find('.menu > button', 'ada@larkspur.example')).click()
    const leave = await find('.menu-panel button', 'Sign out')
    isDown = true
    leave.click()
    await find('.menu-panel .notice.bad', 'The service does not respond.')
    isDown = false
    await find('.menu > button', 'ada@larkspur.example')
  })

  test('when a session ends, the page and the typed text stay, and notices say so', async () => {
    const { cookie } = await signIn({ email: 'ada@larkspur.example' })
    await open('/app/dashboard', { cookie })
    ;(await find('main .actions button')).click()
    const field = await find<HTMLInputElement>('dialog input')
    type(field, 'nightly export')
    await sql`delete from sessions`
    const submit = await find<HTMLButtonElement>('dialog button[type=submit]')
    await waitFor(() => !submit.disabled)
    submit.click()
    await find('dialog .notice', 'Your session has ended. Sign in again in a new tab, then repeat this.')
    await find('.trouble-notices', 'Your session has ended. What you typed is still here.')
    expect(elements('dialog input')[0]).toBe(field)
    expect(field.value).toBe('nightly export')
  })
})
