import { describe, expect, test } from 'bun:test'
import { createPortalAccess } from '../../../adapters/http/http-client'
import { ScrapeError } from '../../../adapters/scrape-error'
import { shortestTime } from '../../support/shortest-time'
import { openClient, startPortal } from '../portal'

const refusal = async (work: Promise<unknown>): Promise<ScrapeError> => {
  const error = await work.then(
    () => new Error('it was not refused'),
    (thrown) => thrown,
  )
  if (!(error instanceof ScrapeError)) throw error
  return error
}

const noRobots = (handle: (request: Request, path: string) => Response | Promise<Response>) => (request: Request) => {
  const path = new URL(request.url).pathname
  return path === '/robots.txt' ? new Response('', { status: 404 }) : handle(request, path)
}

describe('only public http and https addresses are requested', () => {
  test.each([
    'http://127.0.0.1:9/',
    'http://localhost:9/',
    'http://[::1]:9/',
    'http://10.1.2.3/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00::1]/',
    // 127.0.0.1 as an IPv4-compatible address (RFC 4291, 2.5.5.1).
    'http://[::7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[4000::1]/',
    'http://0.0.0.0/',
    'http://100.64.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://db.internal/',
    'ftp://portal.example/',
    'file:///etc/passwd',
    'http://user:secret@portal.example/',
    'not an address',
  ])('%s is refused', async (url) => {
    const error = await refusal(openClient({ allowPrivate: false }).request({ name: 'page', url }))
    expect(error.code).toBe('bad_config')
    expect(error.message).not.toContain('secret')
  })

  test('a name that resolves to this machine is refused, with the address', async () => {
    const { hostname } = await import('node:os')
    const error = await refusal(
      openClient({ allowPrivate: false }).request({ name: 'page', url: `http://${hostname()}/` }),
    )
    expect(['bad_config', 'network']).toContain(error.code)
  })

  test('a redirect is checked like the first address', async () => {
    const inner = startPortal(noRobots(() => new Response('secret')))
    const outer = startPortal(noRobots(() => Response.redirect(inner.url)))
    const client = openClient({ allowPrivate: false, ownOrigins: new Set([outer.url]) })
    expect((await refusal(client.request({ name: 'page', url: outer.url }))).code).toBe('bad_config')
    expect(inner.asked).toEqual([])
  })

  test.each(['http://10.0.0.1/', 'javascript:alert(1)', 'file:///etc/passwd'])(
    'the error for a redirect to %s says that the portal redirected there, and has that class',
    async (location) => {
      const portal = startPortal(noRobots(() => new Response(null, { status: 302, headers: { location } })))
      const client = openClient({ allowPrivate: false, ownOrigins: new Set([portal.url]) })
      const { host, protocol } = new URL(location)
      expect(await refusal(client.request({ name: 'page', url: portal.url }))).toMatchObject({
        code: 'bad_config',
        failureClass: 'redirected',
        message: expect.stringContaining(`127.0.0.1:${portal.port} redirected elsewhere: ${host || protocol}`),
      })
    },
  )
})

describe('a request', () => {
  const portal = startPortal(
    noRobots(async (request, path) => {
      switch (path) {
        case '/teapot':
          return new Response('short and stout', { status: 418, headers: { 'X-Kind': 'tea' } })
        case '/moved':
          return new Response(null, { status: 302, headers: { location: '/echo?moved' } })
        case '/loop':
          return Response.redirect(request.url)
        case '/latin':
          return new Response(new Uint8Array([0x50, 0x45, 0xd1, 0x41]), { headers: { 'content-type': 'text/html' } })
        case '/large':
          return new Response('x'.repeat(5_000))
        case '/slow':
          return new Promise<Response>((resolve) => setTimeout(() => resolve(new Response('late')), 5_000))
        case '/unchanged':
          return new Response(null, { status: request.headers.get('if-none-match') === '"a"' ? 304 : 200 })
        default:
          return Response.json({
            method: request.method,
            body: await request.text(),
            type: request.headers.get('content-type'),
            token: request.headers.get('x-token'),
          })
      }
    }),
  )
  const ask = (path: string, more: object = {}, options = {}) =>
    openClient(options).request({ name: 'page', url: portal.url + path, ...more })

  test("any status is returned as a document, and every request has the service's User-Agent", async () => {
    expect(await ask('/teapot')).toMatchObject({
      name: 'page',
      url: `${portal.url}/teapot`,
      status: 418,
      body: 'short and stout',
      headers: { 'x-kind': 'tea' },
    })
    expect(portal.asked.at(-1)?.headers).toMatchObject({
      'user-agent': 'ParcelDataService/0 (+https://service.example)',
      host: `127.0.0.1:${portal.port}`,
    })
  })

  test('forms and JSON are posted, and a redirect turns them into a GET', async () => {
    expect(JSON.parse((await ask('/echo', { form: { a: 'b c' } })).body)).toMatchObject({
      method: 'POST',
      body: 'a=b+c',
      type: 'application/x-www-form-urlencoded',
    })
    expect(JSON.parse((await ask('/echo', { json: { a: 1 } })).body)).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      type: 'application/json',
    })
    const moved = await ask('/moved', { form: { a: 'b' }, headers: { 'x-token': 't' } })
    expect(moved.url).toBe(`${portal.url}/echo?moved`)
    expect(JSON.parse(moved.body)).toEqual({ method: 'GET', body: '', type: null, token: 't' })
  })

  test('a token for one host is not sent to another after a redirect', async () => {
    const away = startPortal(noRobots(() => Response.redirect(`${portal.url}/echo`)))
    const { body } = await openClient().request({ name: 'page', url: away.url, headers: { 'x-token': 't' } })
    expect(JSON.parse(body)).toMatchObject({ token: null })
  })

  test('too many redirects are an error', async () => {
    expect(await refusal(ask('/loop'))).toMatchObject({
      code: 'network',
      message: expect.stringContaining('more than 5 times'),
    })
  })

  test('five redirects in a row are followed, and a sixth is an error', async () => {
    const { url } = startPortal(
      noRobots((_, path) =>
        path === '/0' ? new Response('here') : Response.redirect(`/${Number(path.slice(1)) - 1}`, 302),
      ),
    )
    const after = (redirects: number) => openClient().request({ name: 'page', url: `${url}/${redirects}` })
    expect((await after(5)).body).toBe('here')
    expect((await refusal(after(6))).message).toContain('more than 5 times')
  })

  test('bytes that are not valid UTF-8 are read as windows-1252', async () => {
    expect((await ask('/latin')).body).toBe('PEÑA')
  })

  test('the charset is read from the byte order mark, the header, else from the meta tag, and never from a script', async () => {
    const bytes = (type: string, html: string) =>
      startPortal(noRobots(() => new Response(Buffer.from(html, 'latin1'), { headers: { 'content-type': type } })))
    const read = async (type: string, html: string) =>
      (await openClient().request({ name: 'page', url: bytes(type, html).url })).body
    const utf8 = Buffer.from('PEÑA').toString('latin1')
    expect(await read('text/html; charset=iso-8859-1', '<meta charset="utf-8">PE\u00d1A')).toContain('PEÑA')
    expect(await read('text/html', '<meta charset="iso-8859-1">PE\u00d1A')).toContain('PEÑA')
    expect(await read('text/html; charset=iso-8859-1', `<p>${utf8}`)).toBe('<p>PEÑA')
    expect(await read('text/html; charset=iso-8859-2', '<p>\u00d1')).toBe('<p>Ń')
    expect(await read('text/html; charset=iso-8859-15', `<p>${utf8}`)).toBe('<p>PEÑA')
    // .NET declares the charset of the text that it had in memory.
    expect(await read('text/html', `<META content="text/html; charset=utf-16"><p>${utf8}`)).toContain('<p>PEÑA')
    expect(await read('text/html; charset=utf-16', `<p>${utf8}`)).toBe('<p>PEÑA')
    const wideBytes = Buffer.from('<p>PEÑA', 'utf16le').toString('latin1')
    expect(await read('text/html; charset=utf-16', wideBytes)).toBe('<p>PEÑA')
    expect(await read('text/html; charset=x-user-defined', '<p>PE\u00d1A')).toBe('<p>PEÑA')
    expect(await read('text/html; charset=iso-2022-jp', '<p>\u001b$B\u0034\u0041\u001b(B')).toBe('<p>漢')
    expect(await read('text/html; charset=nonsense', '<meta charset="iso-8859-1">PE\u00d1A')).toContain('PEÑA')
    expect(await read('text/html; charset=iso-8859-1', `\u00ef\u00bb\u00bf${utf8}`)).toBe('PEÑA')
    for (const swap of [false, true]) {
      const marked = Buffer.from('\ufeff<meta charset="utf-8">PEÑA', 'utf16le')
      const wide = (swap ? marked.swap16() : marked).toString('latin1')
      expect(await read('text/html', wide)).toBe('<meta charset="utf-8">PEÑA')
    }
    expect(await read('text/html', `<meta name=a><script charset="iso-8859-1"></script>${utf8}`)).toContain('PEÑA')
  })

  test('a response that is too large, one that is too slow and an unreachable host each have an error code', async () => {
    expect((await refusal(ask('/large', {}, { maxBodyBytes: 4_999 }))).code).toBe('too_large')
    expect((await ask('/large', {}, { maxBodyBytes: 5_000 })).body.length).toBe(5_000)
    expect((await refusal(ask('/slow', {}, { timeoutMs: 100 }))).code).toBe('timeout')
    expect((await refusal(openClient().request({ name: 'page', url: 'http://127.0.0.1:1/' }))).code).toBe('network')
  })

  test("aborting a job ends its request immediately, with the signal's reason", async () => {
    const reason = new Error('cancelled')
    const askUntilAborted = async () => {
      const work = openClient({}, AbortSignal.any([AbortSignal.timeout(100)])).request({
        name: 'page',
        url: `${portal.url}/slow`,
      })
      await expect(work).rejects.toHaveProperty('name', 'TimeoutError')
    }
    // The page takes 5 s.
    expect(await shortestTime(2_000, askUntilAborted)).toBeLessThan(2_000)
    await expect(openClient({}, AbortSignal.abort(reason)).request({ name: 'page', url: portal.url })).rejects.toBe(
      reason,
    )
  })

  test('validators are sent, and 304 is returned as a document', async () => {
    expect((await ask('/unchanged', { headers: { 'if-none-match': '"a"' } })).status).toBe(304)
  })
})

describe('manners', () => {
  test('cookies belong to a source, and a client can have its own jar', async () => {
    const portal = startPortal(
      noRobots(
        (request) =>
          new Response(request.headers.get('cookie') ?? '', { headers: { 'set-cookie': 'session=1; HttpOnly' } }),
      ),
    )
    const access = createPortalAccess({ userAgent: 'test', allowPrivate: true, spacingMs: 0 })
    const ask = async (client: ReturnType<typeof access.clientFor>) =>
      (await client.request({ name: 'page', url: portal.url })).body
    const elm = () => access.clientFor('elm', AbortSignal.timeout(5_000))
    expect(await ask(elm())).toBe('')
    expect(await ask(elm())).toBe('session=1')
    expect(await ask(access.clientFor('ash', AbortSignal.timeout(5_000)))).toBe('')
    expect(await ask(elm().withOwnCookies())).toBe('')
  })

  test('a portal that sends other cookies each time gets few of them, and one that renews its cookies gets all', async () => {
    const headers = (cookies: string[]) => cookies.map((cookie): [string, string] => ['set-cookie', cookie])
    let asked = 0
    const portal = startPortal(
      noRobots((request, path) => {
        const names = Array.from({ length: 60 }, (_, index) => `${path === '/new' ? `${asked}-` : ''}${index}=1`)
        asked++
        return new Response(request.headers.get('cookie') ?? '', {
          headers: headers([...names, `large=${'x'.repeat(5_000)}`]),
        })
      }),
    )
    const client = openClient()
    const countCookies = async (path: string) =>
      (await client.request({ name: 'page', url: portal.url + path })).body.split(';').length
    for (let page = 0; page < 5; page++) await countCookies('/new')
    expect(await countCookies('/new')).toBe(60)
    for (let page = 0; page < 3; page++) await countCookies('/same')
    expect(await countCookies('/same')).toBe(60)
  })

  test('requests to one host are spaced, by at least the Crawl-delay of its robots.txt', async () => {
    for (const [robots, gapMs] of [
      ['', 100],
      ['User-agent: *\nCrawl-delay: 0.3', 300],
    ] as const) {
      const portal = startPortal((request) => new Response(request.url.endsWith('robots.txt') ? robots : ''))
      const client = openClient({ spacingMs: 100 })
      const startedAt = performance.now()
      await Promise.all([1, 2, 3].map((page) => client.request({ name: 'page', url: `${portal.url}/${page}` })))
      const starts = portal.asked.filter(({ path }) => path !== '/robots.txt').map(({ at }) => at)
      expect(portal.asked.length).toBe(4)
      for (const [turn, at] of starts.entries()) expect(at).toBeGreaterThanOrEqual(startedAt + turn * gapMs)
    }
  })

  test('addresses that robots.txt disallows are not requested', async () => {
    const portal = startPortal(
      (request) => new Response(request.url.endsWith('robots.txt') ? 'User-agent: *\nDisallow: /private' : 'here'),
    )
    const error = await refusal(openClient().request({ name: 'page', url: `${portal.url}/private/1` }))
    expect(error).toMatchObject({ code: 'blocked', message: expect.stringContaining('/private/1') })
    expect(portal.asked.map(({ path }) => path)).toEqual(['/robots.txt'])
  })

  test('a host whose robots.txt fails gets no other request, and a host without one has no rules', async () => {
    for (const status of [500, 503]) {
      const broken = startPortal((request) =>
        request.url.endsWith('robots.txt') ? new Response('', { status }) : new Response('here'),
      )
      const client = openClient()
      for (const page of ['/1', '/2']) {
        const error = await refusal(client.request({ name: 'page', url: broken.url + page }))
        expect(error).toMatchObject({ code: 'network', message: expect.stringContaining('robots.txt') })
        expect(error.retryAfterMs).toBeGreaterThan(9 * 60_000)
      }
      expect(broken.asked.map(({ path }) => path)).toEqual(['/robots.txt'])
    }
    for (const status of [401, 404, 410]) {
      const open = startPortal((request) =>
        request.url.endsWith('robots.txt') ? new Response('Disallow: /', { status }) : new Response('here'),
      )
      expect((await openClient().request({ name: 'page', url: `${open.url}/1` })).body).toBe('here')
    }
  })

  test('a host whose robots.txt redirects on and on has no rules', async () => {
    const portal = startPortal((request) =>
      request.url.endsWith('robots.txt') ? Response.redirect('/robots.txt', 302) : new Response('here'),
    )
    expect((await openClient().request({ name: 'page', url: `${portal.url}/1` })).body).toBe('here')
  })

  test('a host is not requested before its Retry-After has passed', async () => {
    const portal = startPortal(noRobots(() => new Response('', { status: 429, headers: { 'retry-after': '30' } })))
    const client = openClient()
    expect((await client.request({ name: 'page', url: portal.url })).status).toBe(429)
    const error = await refusal(client.request({ name: 'page', url: portal.url }))
    expect(error.code).toBe('throttled')
    expect(error.retryAfterMs).toBeGreaterThan(25_000)
    expect(portal.asked.length).toBe(2)
  })
})
