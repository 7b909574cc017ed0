import type * as Client from '../../clients/typescript/src/index'

/* What the TypeScript client promises. It runs in Bun, Node and Chromium, so it uses only what all of them have. */

export interface Setting {
  base: string
  faulty: string
  key: string
  parcels: number
  oddIds: string[]
  /** Separates the faults of this run from those of other runs. */
  runtime: string
  /** Signed by the service's own library: valid, changed, old, and by another secret. */
  webhooks: Record<'valid' | 'changed' | 'old' | 'foreign', { headers: Record<string, string>; body: string }>
  webhookSecret: string
}

const SOURCE = 'sample-county'

/** Some requests here have less than a second. On a busy machine, several can pass until one has its response in that time. */
const MAX_ATTEMPTS = 20

const equal = (actual: unknown, expected: unknown) => {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (one !== other) throw new Error(`expected ${other}, got ${one}`)
}

const isTrue = (condition: boolean, what: string) => {
  if (!condition) throw new Error(what)
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const all = async <Row>(rows: AsyncIterable<Row>): Promise<Row[]> => {
  const list: Row[] = []
  for await (const row of rows) list.push(row)
  return list
}

const bytesOf = async (stream: Client.ByteStream): Promise<Uint8Array> =>
  new Uint8Array(await new Response(stream).arrayBuffer())

const checks = ({ ParcelData, ParcelDataError, verifyWebhook }: typeof Client, setting: Setting) => {
  const { base, faulty, key, parcels, oddIds, runtime } = setting
  const client = new ParcelData({ baseUrl: base, key })
  const through = (fault: string, name: string, options: Client.ClientOptions = {}) =>
    new ParcelData({ baseUrl: `${faulty}/${fault}~${runtime}-${name}`, key, ...options })
  const requestsOf = async (fault: string, name: string): Promise<string[]> =>
    (await fetch(`${faulty}/requests/${fault}~${runtime}-${name}`)).json() as Promise<string[]>

  /** What the work throws. */
  const thrownBy = async (work: () => PromiseLike<unknown>): Promise<unknown> => {
    try {
      await work()
    } catch (error) {
      return error
    }
    throw new Error('it did not throw')
  }
  const failureOf = async (work: () => PromiseLike<unknown>): Promise<Client.ParcelDataError> => {
    const error = await thrownBy(work)
    if (error instanceof ParcelDataError) return error
    throw error
  }

  return {
    'a search tolerates a typo': async () => {
      const find = async () => (await client.search({ q: 'notrhcote scott', types: ['parcels'], limit: 1 })).results[0]
      let hit = await find()
      for (let searches = 1; hit === undefined && searches < MAX_ATTEMPTS; searches++) hit = await find()
      isTrue(hit?.kind === 'parcel' && hit.owner_name?.startsWith('NORTHCOTE SCOTT') === true, JSON.stringify(hit))
    },
    'positions and boxes are typed with their lengths, as maps take them': async () => {
      const { results } = await client.search({ q: 'northcote', group: 'owner', center: '1', limit: 100 })
      const isNumbers = (numbers: readonly unknown[], length: number) =>
        numbers.length === length && numbers.every((number) => typeof number === 'number')
      for (const hit of results) {
        if (hit.kind === 'entity') continue
        const place: [number, number] | [number, number, number, number] | null | undefined =
          hit.kind === 'parcel' ? hit.center : hit.bbox
        isTrue(isNumbers(place ?? [], hit.kind === 'parcel' ? 2 : 4), JSON.stringify(hit))
      }
      isTrue(results.length > 0, 'no hits')
    },
    'a parcel is found by an id with any characters': async () => {
      for (const id of oddIds) {
        equal((await client.getParcel(SOURCE, id)).source_parcel_id, id)
        equal((await client.listParcelHistory(SOURCE, id)).changes.length, 1)
      }
      equal((await failureOf(() => client.getParcel(SOURCE, 'no/such%20id'))).code, 'not_found')
    },
    'an id that an address cannot express is refused before a request': async () => {
      for (const id of ['', '.', '..', '\ud83d'])
        equal(((await thrownBy(async () => client.getParcel(SOURCE, id))) as Client.ParcelDataError).field, 'id')
    },
    'for await reads every row of all pages once, and await reads one page': async () => {
      const list = client.listParcels({ source: SOURCE, limit: 97, count: 'exact' })
      const ids = (await all(list)).map(({ id }) => id)
      equal([ids.length, new Set(ids).size], [parcels, parcels])
      const page = await list
      equal([page.parcels.length, page.total], [97, parcels])
      equal((await all(list.pages())).length, Math.ceil(parcels / 97))
    },
    'events arrive once and in order, although the stream breaks': async () => {
      const stop = new AbortController()
      let responses = 0
      const events = through('severed', 'events').streamEvents(
        { types: ['job'] },
        { signal: stop.signal, onResponse: () => responses++ },
      )
      const first = events.next()
      // The stream has begun. Events of what happens from now on are in it.
      while (responses === 0) await sleep(10)
      const order = (id: string) =>
        client.enqueueScrapes({ source: SOURCE, source_parcel_id: `${runtime}-${id}` }).then(({ jobs }) => jobs[0]?.id)
      const jobs = [await order('one'), await order('two')]
      const received = [await first, await events.next()].map(({ value }) => value)
      equal(
        received.map((event) => [event?.event, (event?.data as { id: string } | undefined)?.id]),
        jobs.map((id) => ['job', id]),
      )
      equal(responses, 3)
      const next = events.next()
      stop.abort()
      equal(((await thrownBy(() => next)) as Error).name, 'AbortError')
      const refused = new ParcelData({ baseUrl: base, key: 'wrong' }).streamEvents()
      equal((await failureOf(() => refused.next())).code, 'unauthorized')
    },
    'a stream of events outlives a proxy that does not reach the service': async () => {
      const statuses = [502, 401]
      const failing = new ParcelData({
        baseUrl: base,
        maxRetries: 0,
        fetch: async () => Response.json({}, { status: statuses.shift() ?? 500 }),
      })
      equal((await failureOf(() => failing.streamEvents().next())).code, 'unauthorized')
    },
    'a list can be caught like a promise': async () => {
      const reason = await client.listParcels({ limit: 0 }).catch((error) => (error as Client.ParcelDataError).field)
      equal(reason, 'limit')
      let isOver = false
      const page = await client.listSources({ limit: 1 }).finally(() => {
        isOver = true
      })
      equal([isOver, page.count], [true, 1])
    },
    'small numbers are written for the API, without an exponent': async () => {
      const found = await all(client.listParcels({ source: SOURCE, min_acres: 5e-7 }))
      isTrue(found.length > 0, 'no parcel has an area')
      equal(await all(client.listParcels({ bbox: [-1e-7, 0, 1e-7, 1] })), [])
    },
    'every kind of list can be read page by page': async () => {
      const area: Client.Area = {
        type: 'Polygon',
        coordinates: [
          [
            [-121, 43],
            [-120, 43],
            [-120, 45],
            [-121, 45],
            [-121, 43],
          ],
        ],
      }
      const lists: ((limit: number) => Client.Pages<unknown, object>)[] = [
        (limit) => client.search({ q: 'northcote', limit }),
        (limit) => client.listParcelsWithin(area, { limit, source: SOURCE, min_acres: 20 }),
        (limit) => client.listParcels({ near: [-120.5485, 43.869], within: '1km', limit }),
        (limit) => client.listNeighbors(SOURCE, '12-0001-0020', { within: '500m', limit }),
        (limit) => client.listChanges({ limit: limit * 10 }),
      ]
      for (const [index, list] of lists.entries()) {
        const [few, many] = [await all(list(4)), await all(list(100))]
        isTrue(
          few.length > 4 && few.length === many.length,
          `list ${index} has ${few.length} rows in small pages, ${many.length} in one`,
        )
      }
      for (const list of [
        client.listSources({ limit: 500 }),
        client.listConcurrency({ limit: 500 }),
        client.listSourceHealth({ limit: 500 }),
        client.listExports(),
        client.listMatches(),
        client.listWork(),
        client.listLoads(),
        client.listWatches(),
      ])
        isTrue((await all<object>(list)).length >= 0, 'it can be read')
    },
    'the feed of changes ends at its present, or waits for more until it is aborted': async () => {
      const changes = await all(client.listChanges({ limit: 1000 }))
      equal(changes.length, parcels)
      const stop = new AbortController()
      const { next } = await client.listChanges({ after: changes.at(-1)?.version ?? 0 })
      const waiting = thrownBy(() => all(client.listChanges({ after: next, wait: 20 }, { signal: stop.signal })))
      setTimeout(() => stop.abort(), 100)
      equal(((await waiting) as Error).name, 'AbortError')
    },
    'an error has the code, the field, the status, the id of the request and the words of the service': async () => {
      const id = `client-${runtime}`
      const refused = await failureOf(() =>
        client.listParcels({ limit: 0, source: SOURCE }, { headers: { 'x-request-id': id } }),
      )
      equal([refused.code, refused.field, refused.status, refused.requestId], ['invalid_request', 'limit', 400, id])
      equal(refused.reason, 'limit must be a whole number from 1 to 5000')
      isTrue(refused.message.includes('GET /v1/parcels') && refused.message.includes(id), refused.message)
      equal((await failureOf(() => client.listParcels({ retired: true }))).field, 'retired')
      equal(
        (await failureOf(() => client.enqueueScrapes({ source: SOURCE } as Client.ScrapeOrder))).field,
        'source_parcel_id',
      )
      const unknown = new ParcelData({ baseUrl: base, key: 'unknown' })
      equal((await failureOf(() => unknown.listSources())).code, 'unauthorized')
      const page = await failureOf(() => through('page', 'page').listSources())
      equal([page.code, page.body], ['internal_error', '<h1>Oops</h1>'])
    },
    'a busy service is asked again, after the time that it names': async () => {
      const startedAt = performance.now()
      equal((await through('busy', 'get').getParcel(SOURCE, oddIds[0] ?? '')).source_parcel_id, oddIds[0])
      const waitedMs = performance.now() - startedAt
      isTrue(waitedMs >= 1_000, `it waited ${waitedMs} ms`)
      equal((await requestsOf('busy', 'get')).length, 3)
    },
    'a service that wants to be left alone for long is not waited for': async () => {
      const gone = await failureOf(() => through('gone', 'get').listSources())
      equal([gone.code, gone.retryAfterMs, (await requestsOf('gone', 'get')).length], ['unavailable', 3_600_000, 1])
    },
    'a connection that breaks is tried again, unless retries are off': async () => {
      equal((await through('refused', 'get').listSources({ limit: 1 })).count, 1)
      const broken = await failureOf(() => through('refused', 'off', { maxRetries: 0 }).listSources())
      equal(broken.code, 'network')
      // A page of another origin cannot know whether the service is down or refuses the page.
      equal(broken.reason.includes('CORS_ORIGINS does not allow http://'), 'document' in globalThis)
    },
    'a POST whose response was lost takes effect once': async () => {
      const order = { source: SOURCE, source_parcel_id: `order-${runtime}` }
      const { jobs } = await through('lost', 'post').enqueueScrapes(order)
      const sent = await requestsOf('lost', 'post')
      equal([sent.length, new Set(sent).size], [2, 1])
      isTrue(/^POST \/v1\/scrape-jobs \w{32}$/.test(sent[0] ?? ''), sent[0] ?? '')
      const { jobs: stored } = await client.listScrapeJobs({ parcel_id: order.source_parcel_id })
      equal(
        stored.map(({ id }) => id),
        jobs.map(({ id }) => id),
      )
    },
    'a PATCH whose response was lost is not sent again': async () => {
      const failure = await failureOf(() =>
        through('lost', 'patch').updateSource(SOURCE, { attribution: 'Larkspur County' }),
      )
      equal([failure.code, (await requestsOf('lost', 'patch')).length], ['network', 1])
    },
    'a silent service times out, and is tried again if that is safe': async () => {
      // Counted here: a browser asks with a preflight request first, and on a busy machine that can take the whole timeout.
      let sent = 0
      const counted = (url: string, init: RequestInit) => {
        sent++
        return fetch(url, init)
      }
      const silent = through('silent', 'get', { timeoutMs: 100, maxRetries: 1, fetch: counted })
      equal([(await failureOf(() => silent.listSources())).code, sent], ['timeout', 2])
      const slow = through('slow', 'get', { timeoutMs: 500, maxRetries: MAX_ATTEMPTS })
      equal((await slow.listSources({ limit: 1 })).count, 1)
    },
    'a response that arrives slowly is not a timeout, however long all of it takes': async () => {
      equal((await through('drip', 'get', { timeoutMs: 1_500 }).listSources()).count, 0)
    },
    'a body that neither ends nor fails times out': async () => {
      for (const status of [200, 500]) {
        const endless = async () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), { status })
        const options = { baseUrl: base, timeoutMs: 100, maxRetries: 0, fetch: endless }
        equal((await failureOf(() => new ParcelData(options).health())).code, 'timeout')
      }
    },
    'an aborted call throws the reason of its signal, before, during and between requests': async () => {
      const reason = new Error('no longer wanted')
      equal(await thrownBy(() => client.listSources({}, { signal: AbortSignal.abort(reason) })), reason)
      for (const [fault, afterMs] of [
        ['silent', 50],
        ['crowded', 400],
      ] as const) {
        const stop = new AbortController()
        const thrown = thrownBy(() => through(fault, 'abort').listSources({}, { signal: stop.signal }))
        while ((await requestsOf(fault, 'abort')).length === 0) await sleep(10)
        await sleep(afterMs)
        stop.abort(reason)
        isTrue((await thrown) === reason, fault)
        equal((await requestsOf(fault, 'abort')).length, 1)
      }
    },
    'parcels are streamed one by one, and a stream that breaks throws': async () => {
      const rows = await all(
        client.streamParcels({ filter: { source: SOURCE }, fields: ['owner_name'], geometry: 'none' }),
      )
      equal(
        [rows.length, rows.filter(({ owner_name }) => owner_name === 'ODD ID HOLDER').length],
        [parcels, oddIds.length],
      )
      const broken = await failureOf(() => all(through('cut', 'stream').streamParcels({ filter: { source: SOURCE } })))
      equal(broken.code, 'network')
      const csv = await bytesOf(
        await client.streamExport({ format: 'csv', geometry: 'none', filter: { source: SOURCE } }),
      )
      equal(new TextDecoder().decode(csv).trim().split('\n').length, parcels + 1)
    },
    'a stream that is left early frees its place': async () => {
      for (let turn = 0; turn < 3; turn++) {
        for await (const row of client.streamParcels({ filter: { source: SOURCE } })) {
          isTrue(typeof row.id === 'string', 'it is a parcel')
          break
        }
      }
    },
    'the download of a file continues where the connection broke': async () => {
      const looks: number[] = []
      const whole = await bytesOf(
        await client.exportFile(
          { format: 'geoparquet', filter: { source: SOURCE } },
          { pollMs: 50, onProgress: ({ done }) => looks.push(done) },
        ),
      )
      equal([new TextDecoder().decode(whole.subarray(0, 4)), looks.at(-1)], ['PAR1', parcels])
      const {
        exports: [latest],
      } = await client.listExports({ limit: 1 })
      const resumed = await bytesOf(await through('cut', 'file').downloadExport(latest?.id ?? ''))
      isTrue(
        resumed.length === whole.length && resumed.every((byte, index) => byte === whole[index]),
        'the bytes are equal',
      )
      const ranges = (await requestsOf('cut', 'file')).map((request) => request.split(' ')[2])
      equal([ranges.length, ranges[0], ranges[1]?.startsWith('bytes=')], [3, undefined, true])
    },
    'an export that fails says why': async () => {
      const row = { id: '1', status: 'error', rows: 0, total: null, error_message: 'cancelled by pk_1a2b3' }
      const failing = new ParcelData({ baseUrl: base, fetch: async () => Response.json(row) })
      const failure = await failureOf(() => failing.waitForExport('1'))
      equal(
        [failure.code, failure.reason, (failure.body as { id: string }).id],
        ['work_failed', row.error_message, '1'],
      )
    },
    'mistakes in the options are named, and the key is not': async () => {
      const mistakeOf = (options: Client.ClientOptions) => failureOf(async () => new ParcelData(options))
      equal((await mistakeOf({ baseUrl: 'localhost:3000' })).field, 'baseUrl')
      const mistake = await mistakeOf({ baseUrl: base, key: 'söcret' })
      equal([mistake.field, mistake.message.includes('söcret')], ['key', false])
      const lenient = new ParcelData({ baseUrl: `${base}/v1/`, key: `${key}\n` })
      equal((await lenient.listSources({ limit: 1 })).count, 1)
    },
    'a redirect is not followed, because it would get the key': async () => {
      const moved = await failureOf(() => through('moved', 'get').listSources())
      isTrue(moved.reason.startsWith('it redirects to'), moved.reason)
      equal((await requestsOf('elsewhere', 'get')).length, 0)
    },
    'a record that has not changed since an ETag is not a redirect': async () => {
      let etag = ''
      await client.getParcel(
        SOURCE,
        oddIds[0] ?? '',
        {},
        { onResponse: ({ headers }) => (etag = headers.get('etag') ?? '') },
      )
      const headers = { 'If-None-Match': etag }
      const same = await failureOf(() => client.getParcel(SOURCE, oddIds[0] ?? '', {}, { headers }))
      equal(
        [same.code, same.status, same.reason],
        ['not_modified', 304, 'it has not changed since the ETag in If-None-Match'],
      )
    },
    'a file is sent in parts': async () => {
      const { id } = await client.addFile({ name: 'lots.csv', size_bytes: 12 })
      for (const [offset, content] of ['APN\n1-', '2\n1-3\n'].entries()) {
        const part = { contentType: 'application/octet-stream', content } as const
        await client.addFilePart(id, part, { offset: offset * 6 })
      }
      equal((await client.getFile(id)).received_bytes, 12)
      await client.removeFile(id)
    },
    'a list is matched': async () => {
      const list = { contentType: 'text/csv', content: 'parcel id\n12-0001-0020\n99-9999-9999\n' } as const
      const match = await client.addMatch(list, { wait: 20 })
      const done = match.status === 'done' ? match : await client.waitForMatch(match.id, { pollMs: 50 })
      equal(done.counts?.matched, 1)
      const rows = await all(client.listMatchRows(match.id))
      equal(
        rows.map(({ outcome }) => outcome),
        ['matched', 'no_match'],
      )
      const csv = new TextDecoder().decode(await bytesOf(await client.getMatchResults(match.id)))
      isTrue(csv.includes('12-0001-0020'), csv)
    },
    'the headers of a response can be read': async () => {
      let version: string | null = null
      await client.getParcel(
        SOURCE,
        oddIds[0] ?? '',
        {},
        {
          onResponse: ({ headers }) => {
            version = headers.get('x-dataset-version')
          },
        },
      )
      equal(Number(version) >= parcels, true)
    },
    'a webhook is read if its signature is right and it is not old': async () => {
      const { webhooks, webhookSecret: secret } = setting
      const event = await verifyWebhook(webhooks.valid, secret)
      equal([event.type, event.id], ['watch.test', webhooks.valid.headers['webhook-id']])
      const request = new Request('https://hooks.larkspur.example', { method: 'POST', ...webhooks.valid })
      equal((await verifyWebhook(request, ['whsec_AAAA', secret])).data.watch_id, '1')
      for (const name of ['changed', 'old', 'foreign'] as const)
        equal((await failureOf(() => verifyWebhook(webhooks[name], secret))).code, 'invalid_webhook')
      for (const headers of [{}, { ...webhooks.valid.headers, 'webhook-signature': 'v1,%%% v2,abc' }])
        equal((await failureOf(() => verifyWebhook({ ...webhooks.valid, headers }, secret))).code, 'invalid_webhook')
      isTrue(
        (await thrownBy(() => verifyWebhook(webhooks.valid, ''))) instanceof TypeError,
        'an empty secret is a mistake',
      )
    },
  }
}

/** Runs all checks. Returns what each of them threw; null: it passed. */
export const runScenario = async (client: typeof Client, setting: Setting): Promise<Record<string, string | null>> => {
  const outcomes: Record<string, string | null> = {}
  for (const [name, check] of Object.entries(checks(client, setting))) {
    try {
      await check()
      outcomes[name] = null
    } catch (error) {
      outcomes[name] = error instanceof Error ? (error.stack ?? error.message) : String(error)
    }
  }
  return outcomes
}
