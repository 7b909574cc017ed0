import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sampleEntities, sampleParcels } from '../../../dev/sample-county/county'
import type { ParcelInput } from '../../../drizzle/records'
import { toMultiPolygon } from '../../../src/ingest/boundaries/geometry'
import { compileFieldMap, completeFieldMap } from '../../../src/ingest/fields/compile-map'
import { parseFieldMap } from '../../../src/ingest/fields/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields/fields'
import { readRows } from '../../../src/ingest/rows/read-rows'
import { RowFault } from '../../../src/ingest/rows/source-row'
import type { Records } from './engine'

export interface County {
  name: string
  read: () => Promise<Records>
}

/** The sample county. Its registry has a company for every tenth parcel. */
export const sampleCounty = (parcels: number): County => ({
  name: 'sample county',
  read: async () => ({
    parcels: [...sampleParcels({ parcels })],
    companies: [...sampleEntities({ entities: Math.ceil(parcels / 10) })],
  }),
})

const MAP = /\.map$/

/** The counties of a folder: each is a file `NAME.map` with a field map as in `bun run ingest`, beside `NAME.csv`, `NAME.geojsonl.gz` or the like. */
export const listCounties = (folder: string): County[] => {
  const files = readdirSync(folder)
  return files
    .filter((file) => MAP.test(file))
    .toSorted()
    .map((map) => {
      const name = basename(map, '.map')
      const file = files.find((other) => other.startsWith(`${name}.`) && !MAP.test(other))
      if (file === undefined || !existsSync(join(folder, file))) throw new Error(`no data for ${join(folder, map)}`)
      return { name, read: () => readCounty(join(folder, file), readFileSync(join(folder, map), 'utf8')) }
    })
}

const COMPANY = /\b(LLC|INC|CORP|LP|LTD|CO)\b/i

const readCounty = async (file: string, map: string): Promise<Records> => {
  const readRecord = compileFieldMap(completeFieldMap(parseFieldMap(map, PARCEL_FIELDS), PARCEL_FIELDS), PARCEL_FIELDS)
  const parcels = new Map<string, ParcelInput>()
  for await (const rows of readRows(file)) {
    for (const row of rows) {
      if (!('properties' in row)) continue
      const parcel = unlessFaulty(() => readRecord(row)) as ParcelInput | null
      if (parcel === null) continue
      const place = unlessFaulty(() => toMultiPolygon(row.geometry)) ?? inventPlace(parcel.sourceParcelId)
      parcels.set(parcel.sourceParcelId, { ...parcel, ...place })
    }
  }
  const names = [...parcels.values()].flatMap(({ ownerName }) =>
    COMPANY.test(ownerName ?? '') ? [ownerName ?? ''] : [],
  )
  return {
    parcels: [...parcels.values()],
    companies: [...new Set(names)].map((name, index) => ({ registryNumber: `R${index}`, name })),
  }
}

/** Skips rows that an ingest would reject. */
const unlessFaulty = <Value>(read: () => Value): Value | null => {
  try {
    return read()
  } catch (error) {
    if (error instanceof RowFault) return null
    throw error
  }
}

/** A place for a parcel of a roll without geometry, within about 30 km. The same parcel always gets the same place. */
const inventPlace = (sourceParcelId: string): Pick<Required<ParcelInput>, 'geom' | 'bbox'> => {
  const hash = Bun.hash.xxHash32(sourceParcelId)
  const [west, south] = [-123 + (hash % 4_000) / 10_000, 45.4 + ((hash >>> 12) % 3_000) / 10_000]
  const [east, north] = [west + 0.0002, south + 0.0002]
  const ring: [number, number][] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return { geom: { type: 'MultiPolygon', coordinates: [[ring]] }, bbox: [west, south, east, north] }
}
