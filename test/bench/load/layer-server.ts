/* A layer of invented parcels for the crawl bench: bun test/bench/load/layer-server.ts PARCELS PAGE. Prints its URL. */
const [parcels, page] = process.argv.slice(2).map(Number) as [number, number]

const layer = {
  fields: [
    { name: 'OID', type: 'esriFieldTypeOID' },
    { name: 'PIN', type: 'esriFieldTypeString' },
    { name: 'OWNER', type: 'esriFieldTypeString' },
  ],
  maxRecordCount: page,
  advancedQueryCapabilities: { supportsPagination: true, supportsOrderBy: true },
}

/** A lot with 24 corners, like a surveyed one. */
const ringOf = (id: number): number[][] => {
  const [lon, lat] = [-97 + (id % 1000) / 1000, 31 + Math.floor(id / 1000) / 1000]
  return Array.from({ length: 25 }, (_, corner) => {
    const angle = (-2 * Math.PI * (corner % 24)) / 24
    return [Number((lon + 0.0004 * Math.cos(angle)).toFixed(7)), Number((lat + 0.0004 * Math.sin(angle)).toFixed(7))]
  })
}

const featureOf = (id: number) => ({
  attributes: { OID: id, PIN: `04-17-${id}`, OWNER: `HOLLOWAY MARIGOLD ${id % 50_000}` },
  geometry: { rings: [ringOf(id)] },
})

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname.endsWith('/0')) return Response.json(layer)
    if (!pathname.endsWith('/query')) return new Response('', { status: 404 })
    if (searchParams.has('returnCountOnly')) return Response.json({ count: parcels })
    const after = Number(/OID > (\d+)/.exec(searchParams.get('where') ?? '')?.[1] ?? -1)
    const length = Math.min(page, parcels - after - 1)
    const features = Array.from({ length }, (_, index) => featureOf(after + 1 + index))
    return Response.json({ spatialReference: { wkid: 4326 }, features, exceededTransferLimit: length === page })
  },
})
console.log(`http://127.0.0.1:${server.port}`)
