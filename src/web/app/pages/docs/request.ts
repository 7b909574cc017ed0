import { quoteShell, toPython, toTypeScript } from './literals'

/** A value of a request that the reader can change. */
interface Value {
  name: string
  in: 'path' | 'query'
  value: string
}

/** A request of the guide. Its values are those of the sample county until the reader changes them. */
export interface GuideRequest {
  method: 'GET' | 'POST'
  /** Path parameters are in braces. */
  path: string
  values: readonly Value[]
  headers?: Readonly<Record<string, string>>
  body?: { type: 'application/json' | 'text/csv'; text: string }
  /** What a key must be able to do; null: the request needs no key. */
  needs: 'read' | 'enqueue' | 'bulk-export' | null
}

/** Where a request goes, and the key that it carries. */
export interface Target {
  base: string
  /** Null: nobody has typed a key. */
  key: string | null
}

/** Stands for the key until the reader types one. */
export const NO_KEY = 'YOUR_KEY'

/** The path of the request, with its parameters. Empty query values are left out. */
export const pathOf = ({ path, values }: GuideRequest): string => {
  const filled = values
    .filter((one) => one.in === 'path')
    .reduce((filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(value)), path)
  const query = new URLSearchParams(queryOf({ values }))
  // Commas and colons need no encoding in a query, and URLs are easier to read without it.
  return query.size === 0 ? filled : `${filled}?${String(query).replaceAll('%2C', ',').replaceAll('%3A', ':')}`
}

export const queryOf = ({ values }: Pick<GuideRequest, 'values'>): Record<string, string> =>
  Object.fromEntries(
    values.filter((one) => one.in === 'query' && one.value !== '').map(({ name, value }) => [name, value]),
  )

/** The headers of the request without the key. */
export const headersOf = ({ headers, body }: GuideRequest): Record<string, string> => ({
  ...(body === undefined ? {} : { 'Content-Type': body.type }),
  ...headers,
})

const allHeaders = (request: GuideRequest, { key }: Target): Record<string, string> => ({
  ...(request.needs === null ? {} : { 'X-Service-Key': key ?? NO_KEY }),
  ...headersOf(request),
})

/** The request as a command that works when it is pasted into a shell. */
export const toCurl = (request: GuideRequest, target: Target): string =>
  `curl ${[
    ...Object.entries(allHeaders(request, target)).map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    quoteShell(`${target.base}${pathOf(request)}`),
    ...(request.body === undefined ? [] : [`--data-binary ${quoteShell(request.body.text)}`]),
  ].join(' \\\n  ')}`

/** The value of the JSON body; undefined: there is none, or what the reader typed is not JSON. */
export const jsonOf = ({ body }: GuideRequest): unknown => {
  if (body?.type !== 'application/json') return undefined
  try {
    return JSON.parse(body.text)
  } catch {
    return undefined
  }
}

/** The first lines of a program, and the expression that the others read. */
export interface ProgramStart {
  head: string
  call: string
}

/** Sends the request with fetch, and stops if it is refused. */
export const fetchInTypeScript = (request: GuideRequest, target: Target): ProgramStart => {
  const { 'X-Service-Key': key, ...others } = allHeaders(request, target)
  const json = jsonOf(request)
  const hasOthers = Object.keys(others).length > 0
  const headers =
    key === undefined ? toTypeScript(others, '  ') : `{ ...headers, ${toTypeScript(others, '  ').replace(/^\{ /, '')}`
  const options = [
    ...(request.method === 'GET' ? [] : [`method: '${request.method}'`]),
    ...(hasOthers ? [`headers: ${headers}`] : key === undefined ? [] : ['headers']),
    ...(request.body === undefined
      ? []
      : [
          `body: ${json === undefined ? toTypeScript(request.body.text) : `JSON.stringify(${toTypeScript(json, '  ')})`}`,
        ]),
  ]
  const url = toTypeScript(`${target.base}${pathOf(request)}`)
  const flat = `{ ${options.join(', ')} }`
  const init =
    options.length === 0
      ? ''
      : options.length === 1
        ? `, ${flat}`
        : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`
  const head = `${key === undefined ? '' : `const headers = ${toTypeScript({ 'X-Service-Key': key })}\n`}const response = await fetch(${url}${init})
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`)`
  return { head, call: 'response' }
}

/** Sends the request with httpx, and stops if it is refused. */
export const requestInPython = (request: GuideRequest, target: Target): ProgramStart => {
  const { 'X-Service-Key': key, ...headers } = allHeaders(request, target)
  const json = jsonOf(request)
  const path = request.values
    .filter((one) => one.in === 'path')
    .reduce((filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(value)), request.path)
  const query = queryOf(request)
  const given = [
    toPython(path),
    ...(Object.keys(query).length === 0 ? [] : [`params=${toPython(query, '    ')}`]),
    ...(json === undefined ? [] : [`json=${toPython(json, '    ')}`]),
    ...(json === undefined && request.body !== undefined ? [`content=${toPython(request.body.text)}`] : []),
    ...(json === undefined && Object.keys(headers).length > 0 ? [`headers=${toPython(headers, '    ')}`] : []),
    ...(json !== undefined && request.headers !== undefined ? [`headers=${toPython(request.headers, '    ')}`] : []),
  ]
  const flat = `response = client.${request.method.toLowerCase()}(${given.join(', ')})`
  const call =
    flat.length <= 100
      ? flat
      : `response = client.${request.method.toLowerCase()}(\n${given.map((one) => `    ${one},\n`).join('')})`
  const known = key === undefined ? '' : `, headers=${toPython({ 'X-Service-Key': key })}`
  const head = `import httpx

client = httpx.Client(base_url=${toPython(target.base)}${known}, timeout=60)
${call}
response.raise_for_status()`
  return { head, call: 'response' }
}
