import type { Position } from 'geojson'
import { startPortal } from '../portal'

/** The path of the layer. */
export const LAYER = '/arcgis/rest/services/Parcels/FeatureServer/0'

export interface LayerOptions {
  ids: number[]
  maxRecordCount?: number
  canPage?: boolean
  /** The number of features that the layer really returns, if less than its limit. */
  gives?: number
  /** Whether its responses say that there are more features. */
  saysMore?: boolean
  attributes?: (id: number) => Record<string, unknown>
  /** In addition to OID_1, PIN and OWNER. */
  fields?: { name: string; type: string }[]
  geometry?: (id: number) => unknown
  /** Runs before the response, or replaces it. */
  before?: (url: URL) => Promise<Response | undefined> | Response | undefined
}

/** A layer that behaves like Esri's, as far as a crawl can tell. */
export const startLayer = ({
  ids,
  maxRecordCount = 3,
  canPage = true,
  gives = maxRecordCount,
  saysMore = true,
  attributes = (id) => ({ PIN: `P-${id}`, OWNER: `OWNER ${id}` }),
  fields = [],
  geometry = (id) => ({ rings: [square(id / 1000, 0, 0.001, 'clockwise')] }),
  before = () => undefined,
}: LayerOptions) => {
  const answer = async (request: Request): Promise<unknown> => {
    const url = new URL(request.url)
    const parameters = request.method === 'POST' ? new URLSearchParams(await request.text()) : url.searchParams
    if (url.pathname === LAYER) {
      return {
        fields: [
          { name: 'OID_1', type: 'esriFieldTypeOID' },
          { name: 'PIN', type: 'esriFieldTypeString' },
          { name: 'OWNER', type: 'esriFieldTypeString' },
          ...fields,
        ],
        maxRecordCount,
        advancedQueryCapabilities: { supportsPagination: canPage, supportsOrderBy: canPage },
        editingInfo: { dataLastEditDate: Date.UTC(2026, 0, 2) },
      }
    }
    if (parameters.has('returnCountOnly')) return { count: ids.length }
    // Servers return ids in no particular order.
    if (parameters.has('returnIdsOnly')) return { objectIdFieldName: 'OID_1', objectIds: ids.toReversed() }
    const after = /OID_1 > (-?\d+)/.exec(parameters.get('where') ?? '')?.[1]
    const wanted = parameters.get('objectIds')?.split(',').map(Number)
    const found = ids
      .filter((id) => wanted?.includes(id) ?? (after === undefined || id > Number(after)))
      .sort((one, other) => one - other)
    const asked = canPage ? Number(parameters.get('resultRecordCount') ?? Number.POSITIVE_INFINITY) : Infinity
    const given = found.slice(0, Math.min(asked, gives))
    return {
      spatialReference: { wkid: Number(parameters.get('outSR')) },
      features: given.map((id) => ({ attributes: { OID_1: id, ...attributes(id) }, geometry: geometry(id) })),
      ...(saysMore && given.length < found.length ? { exceededTransferLimit: true } : {}),
    }
  }
  return startPortal(async (request) => {
    const url = new URL(request.url)
    if (!url.pathname.startsWith(LAYER)) return new Response('', { status: 404 })
    return (await before(url)) ?? Response.json(await answer(request))
  })
}

/** A square with Esri's winding of outer rings (`clockwise`) or holes. */
export const square = (
  west: number,
  south: number,
  size: number,
  wound: 'clockwise' | 'counterclockwise',
): Position[] => {
  const ring = [
    [west, south],
    [west, south + size],
    [west + size, south + size],
    [west + size, south],
    [west, south],
  ]
  return wound === 'clockwise' ? ring : ring.reverse()
}
