import { callInPython, callInTypeScript } from './client-call'
import { fetchInTypeScript, type GuideRequest, requestInPython, type Target, toCurl } from './request'

export const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof LANGUAGES)[number]

/** One request of the guide. Tests run each of its programs against the sample county. */
export interface Example {
  /** Its anchor on the page. */
  id: string
  title: string
  about: string
  /** The operation in the API reference whose response is shown; null: its document is another one. */
  operation: { id: string; tag: string } | null
  request: GuideRequest
  /** The method of the TypeScript client that sends it. Null: the programs use fetch and httpx, where a client would not make them shorter. */
  method: string | null
  /** What the programs do with the call of the client's method, or with the `response`. */
  typescript: (call: string) => string
  python: (call: string) => string
}

export interface Section {
  id: string
  title: string
  about: string
  examples: readonly Example[]
}

/** The example as a program that works when it is pasted. */
export const toProgram = (example: Example, language: Language, target: Target): string => {
  const { request, method } = example
  if (language === 'curl') return toCurl(request, target)
  if (language === 'TypeScript') {
    const { head, call } =
      method === null ? fetchInTypeScript(request, target) : callInTypeScript(method, request, target)
    return `${head}\n${example.typescript(call)}`
  }
  const { head, call } = method === null ? requestInPython(request, target) : callInPython(method, request, target)
  return `${head}\n${example.python(call)}`
}

const query = (values: Record<string, string>) =>
  Object.entries(values).map(([name, value]) => ({ name, in: 'query' as const, value }))

const PARCEL = [
  { name: 'source', in: 'path', value: 'sample-county' },
  { name: 'id', in: 'path', value: '12-0001-0020' },
] as const

const json = (value: unknown) => ({ type: 'application/json' as const, text: JSON.stringify(value, null, 2) })

/** A farm of the sample county, and a part of its neighborhood. */
const POINT = '-120.5485,43.869'
const AREA = {
  type: 'Polygon',
  coordinates: [
    [
      [-120.551, 43.863],
      [-120.54, 43.863],
      [-120.54, 43.872],
      [-120.551, 43.872],
      [-120.551, 43.863],
    ],
  ],
}

export const GUIDE: readonly Section[] = [
  {
    id: 'find',
    title: 'Find',
    about:
      'Search while a person types. It tolerates typos, and understands owners, addresses, parcel ids and companies.',
    examples: [
      {
        id: 'search',
        title: 'Search for an owner',
        about: 'The best hits come first. `next` is the value of `after` for the next page.',
        operation: { id: 'search', tag: 'search' },
        request: {
          method: 'GET',
          path: '/v1/search',
          values: query({ q: 'notrhcote scott', types: '', state: '', limit: '3' }),
          needs: 'read',
        },
        method: 'search',
        typescript: (call) => `const { results } = await ${call}
for (const hit of results) console.log(hit.kind, hit.kind === 'entity' ? hit.name : hit.owner_name, hit.score)`,
        python: (call) => `for hit in ${call}.first_page()["results"]:
    print(hit["kind"], hit.get("owner_name") or hit.get("name"), hit["score"])`,
      },
    ],
  },
  {
    id: 'look-up',
    title: 'Look up',
    about: "A parcel has an id that is unique in its source. A source is one county's records in one portal.",
    examples: [
      {
        id: 'parcel',
        title: 'Get one parcel',
        about: 'All fields of the parcel, with its boundary as GeoJSON.',
        operation: { id: 'getParcel', tag: 'parcels' },
        request: { method: 'GET', path: '/v1/parcels/{source}/{id}', values: PARCEL, needs: 'read' },
        method: 'getParcel',
        typescript: (call) => `const parcel = await ${call}
console.log(parcel.owner_name, parcel.situs_address, parcel.assessed_value)`,
        python: (call) => `parcel = ${call}
print(parcel["owner_name"], parcel["situs_address"], parcel["assessed_value"])`,
      },
    ],
  },
  {
    id: 'place',
    title: 'By place',
    about: 'Boundaries are compared, not their boxes. A position is longitude, latitude.',
    examples: [
      {
        id: 'at',
        title: 'The parcels at a point',
        about: 'Lots can be stacked, so there may be several. The smallest comes first.',
        operation: { id: 'listParcels', tag: 'parcels' },
        request: {
          method: 'GET',
          path: '/v1/parcels',
          values: query({ at: POINT, fields: 'owner_name,acreage' }),
          needs: 'read',
        },
        method: 'listParcels',
        typescript: (call) => `for await (const parcel of ${call}) {
  console.log(parcel.source_parcel_id, parcel.owner_name)
}`,
        python: (call) => `for parcel in ${call}:
    print(parcel["source_parcel_id"], parcel["owner_name"])`,
      },
      {
        id: 'near',
        title: 'The parcels around a point',
        about: 'The nearest comes first. `within` takes m, km, ft or mi.',
        operation: { id: 'listParcels', tag: 'parcels' },
        request: {
          method: 'GET',
          path: '/v1/parcels',
          values: query({ near: POINT, within: '500m', limit: '5' }),
          needs: 'read',
        },
        method: 'listParcels',
        typescript: (call) => `const { parcels } = await ${call}
for (const parcel of parcels) console.log(parcel.source_parcel_id, \`\${parcel.distance_m} m\`)`,
        python: (call) => `for parcel in ${call}.first_page()["parcels"]:
    print(parcel["source_parcel_id"], parcel["distance_m"], "m")`,
      },
      {
        id: 'within',
        title: 'The parcels in an area',
        about: 'A GeoJSON Polygon or MultiPolygon. `relation=within` leaves out parcels that are partly outside.',
        operation: { id: 'listParcelsWithin', tag: 'parcels' },
        request: {
          method: 'POST',
          path: '/v1/parcels/within',
          values: query({ relation: 'within', limit: '100' }),
          body: json(AREA),
          needs: 'read',
        },
        method: 'listParcelsWithin',
        typescript: (call) => `const { count, next } = await ${call}
console.log(count, next === null ? 'parcels' : 'parcels on this page')`,
        python: (call) => `page = ${call}.first_page()
print(page["count"], "parcels" if page["next"] is None else "parcels on this page")`,
      },
    ],
  },
  {
    id: 'list',
    title: 'List and filter',
    about: 'Lists come in pages. Send `next` as `after` to get the next one; null means that this is the last page.',
    examples: [
      {
        id: 'filter',
        title: 'The largest farms of a county',
        about: 'Filters can be combined. `fields` chooses the columns, and `count=exact` adds the number on all pages.',
        operation: { id: 'listParcels', tag: 'parcels' },
        request: {
          method: 'GET',
          path: '/v1/parcels',
          values: query({
            county: 'larkspur',
            min_acres: '20',
            max_value: '',
            sort: '-acreage',
            fields: 'owner_name,acreage',
            count: 'exact',
            limit: '100',
            after: '',
          }),
          needs: 'read',
        },
        method: 'listParcels',
        typescript: (call) => `for await (const page of ${call}.pages()) {
  console.log(\`\${page.parcels.length} of \${page.total}, the first has \${page.parcels[0]?.acreage} acres\`)
}`,
        python: (call) => `for page in ${call}.pages():
    print(len(page["parcels"]), "of", page["total"], [parcel["acreage"] for parcel in page["parcels"][:3]])`,
      },
    ],
  },
  {
    id: 'export',
    title: 'Export',
    about: 'All parcels of a filter, as NDJSON, CSV, GeoJSON, FlatGeobuf, GeoParquet or GeoPackage.',
    examples: [
      {
        id: 'export-stream',
        title: 'Stream a table',
        about: 'The response is the file, for at most 100,000 parcels. You can have one stream at a time.',
        operation: null,
        request: {
          method: 'POST',
          path: '/v1/exports',
          values: [],
          body: json({
            format: 'csv',
            delivery: 'stream',
            fields: ['owner_name', 'acreage'],
            geometry: 'none',
            filter: { source: 'sample-county', min_acres: 20 },
          }),
          needs: 'bulk-export',
        },
        method: 'streamExport',
        typescript: (call) => `const stream = await ${call}
console.log(await new Response(stream).text())`,
        python: (call) => `for line in ${call}.lines():
    print(line)`,
      },
      {
        id: 'export-file',
        title: 'Export to a file',
        about: 'The service writes the file in the background. Get the export until it is done, and then download it.',
        operation: { id: 'getExport', tag: 'exports' },
        request: {
          method: 'POST',
          path: '/v1/exports',
          values: [],
          body: json({ format: 'geoparquet', filter: { source: 'sample-county', min_acres: 20 } }),
          needs: 'bulk-export',
        },
        method: 'createExport',
        typescript: (call) => `const { id } = await ${call}
const { rows } = await client.waitForExport(id)
const file = await client.downloadExport(id)
console.log(\`\${rows} parcels, \${(await new Response(file).arrayBuffer()).byteLength} bytes\`)`,
        python: (call) => `export = ${call}
done = client.wait_for_export(export["id"])
path = client.download_export(export["id"], "larkspur.parquet")
print(done["rows"], "parcels in", path)`,
      },
    ],
  },
  {
    id: 'match',
    title: 'Match a list',
    about: 'Send a list of addresses, owners, parcel ids or points, and get the parcel of each row.',
    examples: [
      {
        id: 'match-list',
        title: 'Match a CSV',
        about: 'Columns are guessed from their names. With `wait`, a short list is answered directly.',
        operation: { id: 'addMatch', tag: 'matches' },
        request: {
          method: 'POST',
          path: '/v1/matches',
          values: query({ wait: '20' }),
          body: { type: 'text/csv', text: 'address,owner\n2982 West 50th Street,\n,northcote scott\n' },
          needs: 'read',
        },
        method: 'addMatch',
        typescript: (call) => `const { counts, results = [] } = await ${call}
console.log(counts)
for (const row of results) console.log(row.row, row.outcome, row.parcels[0]?.source_parcel_id)`,
        python: (call) => `match = ${call}
print(match["counts"])
for row in match["results"]:
    print(row["row"], row["outcome"], [parcel["source_parcel_id"] for parcel in row["parcels"]])`,
      },
    ],
  },
  {
    id: 'watch',
    title: 'Changes and watches',
    about: 'Read every change of every parcel in order, or let the service tell you about those that you choose.',
    examples: [
      {
        id: 'changes',
        title: 'Read changes',
        about: 'Each change is returned exactly once. Save `next`, and send it as `after` in the next request.',
        operation: { id: 'listChanges', tag: 'changes' },
        request: {
          method: 'GET',
          path: '/v1/changes',
          values: query({ source: 'sample-county', after: '0', limit: '5' }),
          needs: 'read',
        },
        method: 'listChanges',
        typescript: (call) => `const { changes, next } = await ${call}
for (const change of changes) console.log(change.version, change.action, change.source_parcel_id)
console.log(\`continue after \${next}\`)`,
        python: (call) => `page = ${call}.first_page()
for change in page["changes"]:
    print(change["version"], change["action"], change["source_parcel_id"])
print("continue after", page["next"])`,
      },
      {
        id: 'add-watch',
        title: 'Watch an owner',
        about:
          'Matching changes are listed by `/v1/watches/{id}/deliveries`. Add `webhook_url` to have them sent to your server.',
        operation: { id: 'addWatch', tag: 'watches' },
        request: {
          method: 'POST',
          path: '/v1/watches',
          values: [],
          body: json({
            kind: 'owner',
            owner_name: 'Northcote Scott R & Linh',
            fields: ['owner_name', 'assessed_value'],
          }),
          needs: 'read',
        },
        method: 'addWatch',
        typescript: (call) => `const watch = await ${call}
const { deliveries } = await client.listWatchDeliveries(watch.id)
console.log(\`\${watch.id} has matched \${deliveries.length} changes\`)`,
        python: (call) => `watch = ${call}
deliveries = list(client.list_watch_deliveries(watch["id"]))
print(watch["id"], "has matched", len(deliveries), "changes")`,
      },
    ],
  },
  {
    id: 'scrape',
    title: 'Request a scrape',
    about: 'Have parcels fetched again from the portal of their county.',
    examples: [
      {
        id: 'order-scrape',
        title: 'Queue a scrape and wait for it',
        about: 'Up to 1,000 parcels in one request. A parcel that is already queued is not queued twice.',
        operation: { id: 'enqueueScrapes', tag: 'scrape-jobs' },
        request: {
          method: 'POST',
          path: '/v1/scrape-jobs',
          values: [],
          body: json([{ source: 'sample-county', source_parcel_id: '12-0001-0020' }]),
          needs: 'enqueue',
        },
        method: 'enqueueScrapes',
        typescript: (call) => `const { jobs } = await ${call}
let job = await client.getScrapeJob(jobs[0].id)
while (job.status === 'queued' || job.status === 'running') {
  await new Promise((resolve) => setTimeout(resolve, 500))
  job = await client.getScrapeJob(job.id)
}
console.log(job.source_parcel_id, job.status)`,
        python: (call) => `import time

job = ${call}["jobs"][0]
while job.get("status") in (None, "queued", "running"):
    time.sleep(0.5)
    job = client.get_scrape_job(job["id"])
print(job["source_parcel_id"], job["status"])`,
      },
    ],
  },
  {
    id: 'tiles',
    title: 'Map tiles',
    about: 'All boundaries are in one PMTiles archive, for maps. It needs no key.',
    examples: [
      {
        id: 'tile-manifest',
        title: 'Find the archive',
        about:
          'Give `pmtiles_url` to MapLibre with the `pmtiles` protocol. Programs without PMTiles use the TileJSON at `/tiles/parcels.json`.',
        operation: { id: 'tileManifest', tag: 'tiles' },
        request: { method: 'GET', path: '/tiles/manifest.json', values: [], needs: null },
        method: null,
        typescript: (response) => `const { parcels } = await ${response}.json()
const source = { type: 'vector', url: parcels.pmtiles_url }
console.log(source, \`built from version \${parcels.dataset_version}\`)`,
        python: (response) => `parcels = ${response}.json()["parcels"]
print(parcels["pmtiles_url"], parcels["size_bytes"], "bytes")`,
      },
    ],
  },
  {
    id: 'ogc',
    title: 'GIS programs',
    about:
      'QGIS and GDAL open the parcels by one URL: `/ogc`, an OGC API - Features service. Each source is a collection.',
    examples: [
      {
        id: 'ogc-items',
        title: 'Filter a collection',
        about: 'The filter is CQL2 text. Follow the `next` link of the response to read all pages.',
        operation: null,
        request: {
          method: 'GET',
          path: '/ogc/collections/{collection}/items',
          values: [
            { name: 'collection', in: 'path', value: 'sample-county' },
            ...query({ filter: 'acreage > 100', bbox: '', limit: '2' }),
          ],
          needs: 'read',
        },
        method: null,
        typescript: (response) => `const { features } = await ${response}.json()
for (const { properties } of features) console.log(properties.source_parcel_id, properties.acreage)`,
        python: (response) => `for feature in ${response}.json()["features"]:
    print(feature["properties"]["source_parcel_id"], feature["properties"]["acreage"])`,
      },
    ],
  },
  {
    id: 'mcp',
    title: 'Agents',
    about:
      'Agents use the Model Context Protocol at `/mcp`. Its tools are named search, parcel, parcels_at, parcels_in_area, owners_parcels, changes, coverage and order_scrape.',
    examples: [
      {
        id: 'mcp-call',
        title: 'Call a tool',
        about: 'MCP clients send this request by themselves. They only need the URL and the key.',
        operation: null,
        request: {
          method: 'POST',
          path: '/mcp',
          values: [],
          headers: { Accept: 'application/json, text/event-stream' },
          body: json({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'search', arguments: { query: 'northcote' } },
          }),
          needs: 'read',
        },
        method: null,
        typescript: (response) => `const { result } = await ${response}.json()
console.log(result.content[0].text)`,
        python: (response) => `print(${response}.json()["result"]["content"][0]["text"])`,
      },
    ],
  },
]
