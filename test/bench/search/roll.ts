import { upsertEntities } from '../../../drizzle/queries/parcels/upsert-entities'
import { upsertParcels } from '../../../drizzle/queries/parcels/upsert-parcels'
import type { ParcelInput } from '../../../drizzle/records'
import { compileFieldMap, completeFieldMap, parseFieldMap } from '../../../src/ingest/field-map'
import { PARCEL_FIELDS } from '../../../src/ingest/fields'
import { toMultiPolygon } from '../../../src/ingest/geometry'
import { readRows } from '../../../src/ingest/read-rows'
import { RowFault } from '../../../src/ingest/source-row'
import type { Roll } from './queries'
import { type BenchServers, loadRawIndexes, syncIndex } from './servers'

const SOURCE = 'bench_or'
const COMPANY = /\b(LLC|INC|CORP|LP|LTD|CO)\b/

/** Reads the parcels of a roll, with a field map as in `bun run ingest`, and adds places and units. */
export const readRoll = async (file: string, map: string): Promise<ParcelInput[]> => {
  const readRecord = compileFieldMap(completeFieldMap(parseFieldMap(map, PARCEL_FIELDS), PARCEL_FIELDS), PARCEL_FIELDS)
  const parcels = new Map<string, ParcelInput>()
  for await (const rows of readRows(file)) {
    for (const row of rows) {
      if (!('properties' in row)) continue
      const parcel = unlessFaulty(() => readRecord(row)) as ParcelInput | null
      if (parcel === null) continue
      const { geom, bbox } = unlessFaulty(() => toMultiPolygon(row.geometry)) ?? inventGeometry(parcel.sourceParcelId)
      parcels.set(parcel.sourceParcelId, { ...parcel, geom, bbox })
    }
  }
  return [...parcels.values(), ...inventUnits([...parcels.values()])]
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

/** Invents a place for each parcel of a roll without geometry, within about 30 km. The same parcel always gets the same place. */
const inventGeometry = (sourceParcelId: string): Pick<Required<ParcelInput>, 'geom' | 'bbox'> => {
  const hash = Bun.hash.xxHash32(sourceParcelId)
  const [west, south] = [-123 + (hash % 4_000) / 10_000, 45.4 + ((hash >>> 12) % 3_000) / 10_000]
  const [east, north] = [west + 0.0002, south + 0.0002]
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as [number, number][]
  return { geom: { type: 'MultiPolygon', coordinates: [[ring]] }, bbox: [west, south, east, north] }
}

const UNIT_EVERY = 60
const UNIT_WORDS = ['UNIT ', 'APT ', '#', 'STE ']

/** Few rolls have units. For every 60th house, adds three apartments, each unit written in one of four ways. */
const inventUnits = (parcels: readonly ParcelInput[]): ParcelInput[] =>
  parcels.flatMap((parcel) => {
    const hash = Bun.hash.xxHash32(`unit ${parcel.sourceParcelId}`)
    if (hash % UNIT_EVERY !== 0 || !/^\d+ \S/.test(parcel.situsAddress ?? '')) return []
    return [1, 2, 3].map((unit) => ({
      ...parcel,
      sourceParcelId: `${parcel.sourceParcelId}-U${unit}`,
      situsAddress: `${parcel.situsAddress} ${UNIT_WORDS[(hash >>> 8) % UNIT_WORDS.length]}${unit}`,
    }))
  })

/** Loads a roll into the database, with its companies as entities, and into our index and the raw one. */
export const loadRoll = async (servers: BenchServers, parcels: readonly ParcelInput[]): Promise<void> => {
  const { sql } = servers
  const [counted] = await sql<{ count: number }[]>`select count(*)::int as count from parcels`
  const isLoaded = counted?.count === parcels.length
  if (!isLoaded) {
    await sql`
      insert into sources (source, state, county_name, vendor, base_url)
      values (${SOURCE}, 'OR', 'Bench', 'pacs', 'https://example.com') on conflict do nothing
    `
    for (let start = 0; start < parcels.length; start += 5_000) {
      await upsertParcels(sql, SOURCE, parcels.slice(start, start + 5_000))
    }
    const names = parcels.flatMap(({ ownerName }) => (COMPANY.test(ownerName ?? '') ? [ownerName ?? ''] : []))
    const companies = [...new Set(names)].map((name, index) => ({ registryNumber: String(index), name }))
    await upsertEntities(sql, 'OR', companies)
    await sql`vacuum analyze`
  }
  await syncIndex(servers)
  if (!isLoaded) await loadRawIndexes(servers)
}

export const readEntries = (parcels: readonly ParcelInput[]): Roll =>
  parcels.map(({ sourceParcelId, ownerName, situsAddress, situsCity, bbox }) => ({
    sourceParcelId,
    ownerName: ownerName ?? '',
    situsAddress: situsAddress ?? '',
    situsCity: situsCity ?? '',
    lon: bbox?.[0] ?? 0,
    lat: bbox?.[1] ?? 0,
  }))
