import { afterAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { type BrowserOptions, createBrowser } from '../../../adapters/browser/browser'
import { captureAnswer, showDocument, visit } from '../../../adapters/browser/visit'
import { createPortalAccess, type HttpClientOptions } from '../../../adapters/http/http-client'
import { RETRYABLE, ScrapeError } from '../../../adapters/scrape-error'
import { readCommandLine } from '../../../src/operations/embedded/child'
import { waitFor } from '../../support/servers'
import { findChromium } from '../../web/browser/chromium'
import { startPortal } from '../portal'

const executablePath = findChromium()
const userAgent = 'ParcelDataService/0 (+https://service.example)'

/** A portal whose page is empty until its script has loaded the parcel. */
const html = (body: string) => new Response(body, { headers: { 'content-type': 'text/html' } })
const SHELL = `<!doctype html><title>Parcel</title><link rel="stylesheet" href="/style.css"><img src="/logo.png">
<div id="app"></div><a id="file" href="/roll.zip" download>roll</a>
<script>
fetch('/api/parcel' + location.search).then((answer) => answer.json()).then(({ owner }) => {
  const cell = document.createElement('p')
  cell.id = 'owner'
  cell.textContent = owner
  document.querySelector('#app').append(cell)
})
</script>`
const answers: Record<string, (request: Request) => Response> = {
  '/robots.txt': () => new Response('User-agent: *\nDisallow: /private'),
  '/parcel': () => html(SHELL),
  '/api/parcel': () => Response.json({ owner: 'MARLOWE ROSE' }),
  '/empty': () => html('<!doctype html><p>No parcel here'),
  '/broken': () => new Response('<h1>Server Error</h1>', { status: 500, headers: { 'content-type': 'text/html' } }),
  '/cookie': (request) =>
    new Response(`<p id="seen">${request.headers.get('cookie') ?? 'none'}</p>`, {
      headers: { 'content-type': 'text/html', 'set-cookie': 'job=mine' },
    }),
  '/never': () => new Response(new ReadableStream({ start() {} }), { headers: { 'content-type': 'text/html' } }),
}
const portal = startPortal((request) => {
  const answer = answers[new URL(request.url).pathname]
  return answer?.(request) ?? new Response('', { status: 404 })
})
/** A server that the portal's pages must not reach. */
const inner = startPortal(() => html('secret'))
answers['/inward'] = () => Response.redirect(inner.url)
answers['/peek'] = () =>
  html(`<p id="told"></p><script>
const told = (text) => { document.querySelector('#told').textContent += text + ' ' }
fetch('${inner.url}/', { mode: 'no-cors' }).then(() => told('fetched'), () => told('fetch-refused'))
const socket = new WebSocket('${inner.url.replace('http', 'ws')}/')
socket.onerror = () => told('socket-refused')
</script>`)

const open = (options: Partial<HttpClientOptions> = {}, more: Partial<BrowserOptions> = {}) => {
  const browser = createBrowser({
    executablePath: executablePath ?? '',
    userAgent,
    portals: createPortalAccess({ userAgent, allowPrivate: true, spacingMs: 0, ...options }),
    ...more,
  })
  afterAll(() => browser.stop())
  return browser
}
const refusalOf = async (work: Promise<unknown>): Promise<ScrapeError> => {
  const error = await work.then(
    () => new Error('it was not refused'),
    (thrown) => thrown,
  )
  if (!(error instanceof ScrapeError)) throw error
  return error
}
const askedFor = (path: string) => portal.asked.filter((asked) => asked.path === path)
/** The browsers that this process started, without their zygotes and renderers. */
const browserPids = (): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const line = Number.isInteger(pid) ? readCommandLine(pid) : ''
      return line.includes('--remote-debugging-pipe') && !line.includes('--type=') && isChild(pid)
    })
const isChild = (pid: number): boolean => {
  try {
    return /^\d+ \(.*\) \w (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] === String(process.pid)
  } catch {
    // The process has ended.
    return false
  }
}

describe.skipIf(executablePath === null)('the browser', () => {
  const shared = open()
  const openPage = (signal = AbortSignal.timeout(50_000)) => shared.openPage(signal)

  test("a page shows what its scripts load, and requests carry the service's User-Agent", async () => {
    const page = await openPage()
    const document = await visit(page, { name: 'parcel', url: `${portal.url}/parcel?id=1`, ready: '#owner' })
    expect(document).toMatchObject({ name: 'parcel', url: `${portal.url}/parcel?id=1`, status: 200 })
    expect(document.body).toContain('<p id="owner">MARLOWE ROSE</p>')
    expect(document.headers['content-type']).toBe('text/html')
    expect(askedFor('/parcel?id=1')[0]?.headers['user-agent']).toBe(userAgent)
    expect(askedFor('/api/parcel?id=1')[0]?.headers['user-agent']).toBe(userAgent)
  })

  test('responses to its scripts can be captured', async () => {
    const page = await openPage()
    const answer = captureAnswer(page, 'owner', (url) => url.pathname === '/api/parcel')
    await visit(page, { name: 'parcel', url: `${portal.url}/parcel?id=2` })
    expect(await answer).toMatchObject({ name: 'owner', status: 200, body: '{"owner":"MARLOWE ROSE"}' })
  })

  test('images are not requested, and nothing is downloaded', async () => {
    const page = await openPage()
    await visit(page, { name: 'parcel', url: `${portal.url}/parcel?id=3`, ready: '#owner' })
    expect(askedFor('/logo.png')).toEqual([])
    expect(askedFor('/style.css').length).toBeGreaterThan(0)
    answers['/roll.zip'] = () => new Response('x'.repeat(1000), { headers: { 'content-disposition': 'attachment' } })
    const started = page.waitForEvent('download')
    await page.click('#file')
    expect(await (await started).failure()).not.toBeNull()
  })

  test('when the awaited content does not appear, the current page becomes the document', async () => {
    const page = await openPage()
    const document = await visit(page, { name: 'x', url: `${portal.url}/empty`, ready: '#owner', readyMs: 200 })
    expect(document.body).toContain('No parcel here')
    expect(await visit(page, { name: 'x', url: `${portal.url}/broken` })).toMatchObject({ status: 500 })
    expect(await showDocument(page, 'x')).toMatchObject({ body: expect.stringContaining('Server Error') })
  })

  test('no job sees the cookies of another', async () => {
    const [one, other] = [await openPage(), await openPage()]
    for (const page of [one, other]) {
      const first = await visit(page, { name: 'cookie', url: `${portal.url}/cookie` })
      expect(first.body).toContain('>none<')
    }
    expect((await visit(one, { name: 'cookie', url: `${portal.url}/cookie` })).body).toContain('>job=mine<')
  })

  test('robots.txt is obeyed', async () => {
    const error = await refusalOf(visit(await openPage(), { name: 'x', url: `${portal.url}/private` }))
    expect(error.code).toBe('blocked')
    expect(error.message).toContain('robots.txt')
    expect(askedFor('/private')).toEqual([])
  })

  test('after a Retry-After to the browser, no client requests the host until then', async () => {
    const busy = startPortal((request) =>
      request.url.endsWith('/robots.txt')
        ? new Response('', { status: 404 })
        : new Response('<p>later', { status: 429, headers: { 'retry-after': '30', 'content-type': 'text/html' } }),
    )
    expect(await visit(await openPage(), { name: 'x', url: `${busy.url}/1` })).toMatchObject({ status: 429 })
    const error = await refusalOf(visit(await openPage(), { name: 'x', url: `${busy.url}/2` }))
    expect(error.code).toBe('throttled')
    expect(error.retryAfterMs).toBeGreaterThan(20_000)
    expect(busy.asked.filter(({ path }) => path === '/2')).toEqual([])
  })

  test('responses and pages above the size limit are refused, compressed or made by scripts', async () => {
    const browser = open({}, { maxBodyBytes: 1_000_000 })
    const letters = 'x'.repeat(2_000_000)
    answers['/large'] = () => html(`<p>${letters}`)
    answers['/packed'] = () =>
      new Response(Bun.gzipSync(letters), { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' } })
    answers['/grown'] = () => html('<p id="all"></p><script>all.textContent = "x".repeat(2000000)</script>')
    answers['/asks'] = () => html('<script>fetch("/large")</script>')
    for (const path of ['/large', '/packed', '/grown']) {
      const page = await browser.openPage(AbortSignal.timeout(50_000))
      const error = await refusalOf(visit(page, { name: 'x', url: portal.url + path }))
      expect({ path, code: error.code, message: error.message }).toMatchObject({
        code: 'too_large',
        message: expect.stringContaining('larger than 1000000 bytes'),
      })
    }
    const page = await browser.openPage(AbortSignal.timeout(50_000))
    const answer = captureAnswer(page, 'large', ({ pathname }) => pathname === '/large')
    const asking = visit(page, { name: 'x', url: `${portal.url}/asks`, ready: '#never' })
    // The refusal ends both, whichever fails first.
    const refused = await Promise.all([refusalOf(answer), refusalOf(asking)])
    expect(refused.map(({ code }) => code)).toEqual(['too_large', 'too_large'])
  })

  /** Attacks by hostile scripts. `shows`: the visit still returns the page; otherwise the visit fails. */
  const HOSTILE: Record<
    string,
    { script: string; shows: boolean; endsWhen?: (path: string, elapsedMs: number) => boolean }
  > = {
    'opens a window whose host does not exist': {
      script: "window.open('http://no-such-host.invalid/')",
      shows: true,
    },
    'opens windows endlessly': {
      script: "setInterval(() => { for (let i = 0; i < 5; i++) window.open('/empty?' + i) }, 5)",
      shows: true,
    },
    'opens a frame whose host does not exist, and removes it': {
      script:
        "for (let i = 0; i < 50; i++) { const frame = document.createElement('iframe'); frame.src = 'http://no-such-host.invalid/' + i; document.body.append(frame); setTimeout(() => frame.remove(), i) }",
      shows: true,
    },
    'shows dialogs': { script: 'setTimeout(() => { for (let i = 0; i < 50; i++) alert(i) })', shows: true },
    'requests thousands of files': {
      // Images count, too, and cost less because they are refused.
      script:
        "for (let i = 0; i < 3000; i++) { if (i % 10 === 0) fetch('/style.css?' + i).catch(() => {}); else new Image().src = '/logo.png?' + i }",
      shows: false,
    },
    'reloads itself endlessly': {
      script: 'setTimeout(() => location.reload())',
      shows: false,
      endsWhen: (path) => askedFor(path).length > 20,
    },
    'blocks its thread forever': {
      script: "fetch('/blocks').then(() => { for (;;) {} })",
      shows: false,
      // Then the visit waits for the blocked thread.
      endsWhen: (_, elapsedMs) => askedFor('/blocks').length > 0 && elapsedMs > 1_500,
    },
    'allocates memory endlessly': {
      script: 'setTimeout(() => { const all = []; for (;;) all.push(new Array(1e6).fill(Math.random())) })',
      shows: false,
    },
  }
  for (const [what, { script, shows, endsWhen }] of Object.entries(HOSTILE)) {
    test(`a page that ${what} affects only its own visit`, async () => {
      const path = `/hostile-${Bun.hash(what)}`
      answers[path] = () => html(`<!doctype html><p id="ready">here</p><script>${script}</script>`)
      const abort = new AbortController()
      const page = await openPage(AbortSignal.any([abort.signal, AbortSignal.timeout(50_000)]))
      const startedAt = performance.now()
      let isOver = false
      // Such a visit ends only when it is aborted.
      if (endsWhen !== undefined) {
        void waitFor(() => isOver || endsWhen(path, performance.now() - startedAt))
          .catch(() => {})
          .then(() => abort.abort(new ScrapeError('timeout', 'aborted by the test')))
      }
      const outcome = await visit(page, { name: 'x', url: portal.url + path, ready: '#never', readyMs: 500 }).catch(
        (error: unknown) => error,
      )
      isOver = true
      if (shows) expect(outcome).toMatchObject({ status: 200 })
      else expect(outcome).toBeInstanceOf(ScrapeError)
      // The same browser continues to serve other jobs.
      const other = await openPage()
      const next = await visit(other, { name: 'parcel', url: `${portal.url}/parcel?id=9`, ready: '#owner' })
      expect(next.body).toContain('MARLOWE ROSE')
      await page.context().close()
      await other.context().close()
    })
  }

  test('an address without a server is a network error', async () => {
    expect((await refusalOf(visit(await openPage(), { name: 'x', url: 'http://127.0.0.1:9/' }))).code).toBe('network')
  })

  test('aborting a job closes its page, and no others', async () => {
    const abort = new AbortController()
    const page = await openPage(abort.signal)
    const other = await openPage()
    const visiting = visit(page, { name: 'x', url: `${portal.url}/never` }).catch((error) => error)
    await waitFor(() => askedFor('/never').length > 0)
    abort.abort(new Error('cancelled'))
    expect(await visiting).toBeInstanceOf(Error)
    await waitFor(() => page.isClosed())
    expect(other.isClosed()).toBe(false)
    expect((await visit(other, { name: 'x', url: `${portal.url}/empty` })).status).toBe(200)
    await expect(openPage(abort.signal)).rejects.toThrow('cancelled')
  })

  test('private addresses are refused for pages, redirects, scripts and sockets', async () => {
    const guarded = open({ allowPrivate: false, ownOrigins: new Set([portal.url]) })
    const openGuarded = () => guarded.openPage(AbortSignal.timeout(50_000))
    const before = inner.asked.length
    for (const url of [`${inner.url}/`, 'http://169.254.169.254/', 'http://localhost:1/', 'file:///etc/passwd']) {
      const { code } = await refusalOf(visit(await openGuarded(), { name: 'x', url }))
      expect({ url, code }).toEqual({ url, code: 'bad_config' })
    }
    const redirected = await refusalOf(visit(await openGuarded(), { name: 'x', url: `${portal.url}/inward` }))
    expect(redirected.code).toBe('network')
    const page = await openGuarded()
    await visit(page, { name: 'x', url: `${portal.url}/peek` })
    await waitFor(async () => {
      const told = await page.textContent('#told')
      return told?.includes('fetch-refused') === true && told.includes('socket-refused')
    })
    expect(inner.asked.length).toBe(before)
  })

  test('WebRTC sends nothing past the proxy', async () => {
    const packets: string[] = []
    const stun = await Bun.udpSocket({
      hostname: '127.0.0.1',
      socket: { data: (_, data) => void packets.push(data.toString('hex')) },
    })
    answers['/webrtc'] = () =>
      html(`<p id="state"></p><script>
const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${stun.port}' }] })
peer.onicegatheringstatechange = () => { state.dataset.gathering = peer.iceGatheringState }
peer.createDataChannel('x')
peer.createOffer().then((offer) => peer.setLocalDescription(offer))
</script>`)
    const ready = '#state[data-gathering=complete]'
    const { body } = await visit(await openPage(), { name: 'x', url: `${portal.url}/webrtc`, ready })
    expect(body).toContain('data-gathering="complete"')
    expect(packets).toEqual([])
    stun.close()
  })

  test('Chromium does not run as root and does not get the secrets in the environment', async () => {
    process.env.SERVICE_API_KEYS = 'secret-of-the-service'
    const browser = open()
    const before = browserPids()
    await browser.openPage(AbortSignal.timeout(50_000))
    delete process.env.SERVICE_API_KEYS
    const [pid] = browserPids().filter((one) => !before.includes(one))
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0')
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('secret-of-the-service')
    await browser.stop()
  })

  test('one browser serves all jobs and restarts after it has died', async () => {
    const browser = open()
    const before = browserPids()
    const signal = AbortSignal.timeout(50_000)
    await Promise.all([browser.openPage(signal), browser.openPage(signal), browser.openPage(signal)])
    const started = browserPids().filter((pid) => !before.includes(pid))
    expect(started.length).toBe(1)
    process.kill(started[0] as number, 'SIGKILL')
    await waitFor(() => !browserPids().includes(started[0] as number))
    let page = await browser.openPage(signal).catch(() => null)
    await waitFor(async () => {
      page ??= await browser.openPage(signal).catch(() => null)
      return page !== null
    })
    if (page === null) throw new Error('no page')
    expect((await visit(page, { name: 'x', url: `${portal.url}/empty` })).status).toBe(200)
    await browser.stop()
    await waitFor(() => browserPids().every((pid) => before.includes(pid)))
  })
})

test('a Chromium that exits during its start is retried', async () => {
  const browser = createBrowser({ executablePath: '/bin/false', userAgent, portals: createPortalAccess({ userAgent }) })
  const error = await refusalOf(browser.openPage(AbortSignal.timeout(30_000)))
  expect(error).toMatchObject({ code: 'network', message: expect.stringContaining('/bin/false') })
  expect(RETRYABLE[error.code]).toBe(true)
})

test('without a Chromium, the message names the path', async () => {
  const browser = createBrowser({
    executablePath: '/nowhere/chromium',
    userAgent,
    portals: createPortalAccess({ userAgent }),
  })
  const error = await refusalOf(browser.openPage(AbortSignal.timeout(1_000)))
  expect(error).toMatchObject({ code: 'bad_config', message: expect.stringContaining('/nowhere/chromium') })
})
