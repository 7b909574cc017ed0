import type { Db } from '../../../core/postgres/database'

/** A golden page: the responses that were read when the source was proved, and the result that was accepted. */
export interface GoldenPage {
  source: string
  adapter: string
  /** The `ScrapeTarget`, without its validators. */
  target: Record<string, unknown>
  pageHash: string
  /** The page set, compressed. */
  page: Uint8Array
  /** ISO 8601. */
  answeredAt: string[]
  /** `fields` and `scrape`. */
  read: Record<string, unknown>
}

export interface NewProof extends GoldenPage {
  version: string
  by: string
}

/** Stores a proof, which replaces the source's former one. */
export const storeProof = async (db: Db, proof: NewProof): Promise<void> => {
  const { source, adapter, version, by, target, pageHash, page, answeredAt, read } = proof
  await db`
    insert into source_proofs (source, proved_by, adapter, version, target, page_hash, page, answered_at, read, checked_version)
    values (${source}, ${by}, ${adapter}, ${version}, ${JSON.stringify(target)}::text::jsonb, ${pageHash}, ${page},
      ${JSON.stringify(answeredAt)}::text::jsonb, ${JSON.stringify(read)}::text::jsonb, ${version})
    on conflict (source) do update set proved_at = now(), proved_by = excluded.proved_by, adapter = excluded.adapter,
      version = excluded.version, target = excluded.target, page_hash = excluded.page_hash, page = excluded.page,
      answered_at = excluded.answered_at, read = excluded.read, checked_version = excluded.checked_version, difference = null`
}

/** Whether the source is proved with this adapter. */
export const isProved = async (db: Db, source: string, adapter: string): Promise<boolean> =>
  (await db`select 1 from source_proofs where source = ${source} and adapter = ${adapter}`).length === 1

/** The proof of a source as JSON text, without the page; null if there is none. */
export const findProof = async (db: Db, source: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select json_build_object('source', source, 'source_parcel_id', target ->> 'sourceParcelId', 'proved_at', iso_utc(proved_at),
      'proved_by', proved_by, 'adapter', adapter, 'version', version, 'page_hash', page_hash,
      'checked_version', checked_version, 'difference', difference)::text as body
    from source_proofs where source = ${source}`
  return row?.body ?? null
}

/** A golden page with the source's current settings. */
export interface StoredGoldenPage extends GoldenPage {
  vendor: string
  vendorConfig: Record<string, unknown>
}

const goldenColumns = (db: Db) => db`
  p.source, p.adapter, p.target, p.page_hash as "pageHash", p.page, p.answered_at as "answeredAt", p.read, s.vendor,
  s.vendor_config as "vendorConfig"`

/** The golden pages of these sources, or of all. */
export const listGoldenPages = (db: Db, wanted: readonly string[] | null): Promise<StoredGoldenPage[]> =>
  db<StoredGoldenPage[]>`
    select ${goldenColumns(db)} from source_proofs p join sources s using (source)
    where ${wanted}::text[] is null or p.source = any(${wanted}::text[]) order by p.source`

/** Golden pages that this version has not read again yet. */
export const listUncheckedGoldenPages = (db: Db, version: string, limit: number): Promise<StoredGoldenPage[]> =>
  db<StoredGoldenPage[]>`
    select ${goldenColumns(db)} from source_proofs p join sources s using (source)
    where p.checked_version is distinct from ${version} order by p.source limit ${limit}`

/** Records how a golden page reads now. Does nothing if the source was proved again in the meantime. */
export const recordProofCheck = async (
  db: Db,
  { source, pageHash }: Pick<GoldenPage, 'source' | 'pageHash'>,
  { version, difference }: { version: string; difference: string | null },
): Promise<void> => {
  await db`
    update source_proofs set checked_version = ${version}, difference = ${difference}
    where source = ${source} and page_hash = ${pageHash}`
}

/** Records that the settings of these sources changed, so that their golden pages are read again. */
export const recheckProofs = async (db: Db, sources: readonly string[]): Promise<void> => {
  await db`update source_proofs set checked_version = null where source = any(${sources}::text[])`
}
