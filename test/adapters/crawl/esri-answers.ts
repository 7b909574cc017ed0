import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPortal } from '../portal'
import { LAYER } from './layer'

export interface EsriAnswers {
  /** Holds `NAME-metadata.json`, `NAME-0.json` and `NAME-count-only.json` of each layer. */
  folder: string
  layers: { name: string; parcel_id: string; owner_names: string[]; drawn: boolean }[]
  /** A layer that requires a token. */
  closed: string
}

const INVENTED: EsriAnswers = {
  folder: join(import.meta.dirname, '../../support/fixtures/esri'),
  layers: [
    { name: 'map-server', parcel_id: 'PROP_ID', owner_names: ['file_as_name'], drawn: true },
    { name: 'several-owners', parcel_id: 'PIN', owner_names: ['OWNER_NAME', 'OWNER_MORE'], drawn: true },
    // Points: they describe addresses and have no boundaries.
    { name: 'points', parcel_id: 'OBJECTID', owner_names: ['ADDRESS'], drawn: false },
  ],
  closed: 'token',
}

const REAL: EsriAnswers = {
  folder: process.env.ESRI_SAMPLES_DIR ?? '',
  layers: [
    { name: 'us-tx-waco', parcel_id: 'PROP_ID', owner_names: ['file_as_name'], drawn: true },
    { name: 'us-nm-washington', parcel_id: 'PIN', owner_names: ['OWNER_NAME', 'OWNER_MORE'], drawn: true },
    { name: 'us-pa-lancaster', parcel_id: 'OBJECTID', owner_names: ['ADDRESS'], drawn: false },
  ],
  closed: 'us-tx-runnels',
}

/** Responses in the format of real layers, and real responses if `ESRI_SAMPLES_DIR` names a folder of them. */
export const ESRI_ANSWERS: readonly EsriAnswers[] = existsSync(REAL.folder) ? [INVENTED, REAL] : [INVENTED]

/** Serves one layer with a single page. */
export const serveAnswers = (folder: string, name: string) => {
  const read = (part: string) => readFileSync(join(folder, `${name}-${part}.json`), 'utf8')
  return startPortal((request) => {
    const url = new URL(request.url)
    if (!url.pathname.startsWith(LAYER)) return new Response('', { status: 404 })
    if (url.pathname === LAYER) return new Response(read('metadata'))
    if (url.searchParams.has('returnCountOnly')) return new Response(read('count-only'))
    return Response.json(readFirstPage(folder, name))
  })
}

export const readFirstPage = (
  folder: string,
  name: string,
): { features: { attributes: Record<string, unknown> }[] } => {
  const { exceededTransferLimit: _, ...answer } = JSON.parse(readFileSync(join(folder, `${name}-0.json`), 'utf8'))
  return answer
}
