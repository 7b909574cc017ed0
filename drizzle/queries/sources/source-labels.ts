import type { Db, Transaction } from '../../../core/postgres/database'
import type { UnreadLabel } from '../../schema/sources/source-labels'

export interface StoredLabels {
  scrapes: number
  scrapesBefore: number
  labels: UnreadLabel[]
}

/** The stored labels of these sources, locked until the transaction ends. Unknown sources are left out. */
export const lockLabels = async (
  tx: Transaction,
  sources: readonly string[],
): Promise<(StoredLabels & { source: string })[]> => {
  await tx`
    insert into source_labels (source) select source from sources where source = any(${[...sources]}) order by source
    on conflict do nothing`
  return tx<(StoredLabels & { source: string })[]>`
    select source, scrapes, scrapes_before as "scrapesBefore", labels from source_labels
    where source = any(${[...sources]}) order by source for update`
}

/** Maximum new labels that an event lists. */
const MAX_NAMED = 10

/** Stores the labels of sources that the caller has locked, and writes an event of the kind `source` for those with new ones. */
export const storeLabels = async (
  tx: Transaction,
  sources: readonly { source: string; stored: StoredLabels; reported: readonly string[] }[],
): Promise<void> => {
  const rows = sources.map(({ source, stored, reported }) => ({ source, ...stored, reported }))
  await tx`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r (
        source text, scrapes int, "scrapesBefore" int, labels jsonb, reported jsonb
      )
    ), stored as (
      update source_labels l set scrapes = g.scrapes, scrapes_before = g."scrapesBefore", labels = g.labels
      from given g where l.source = g.source
    )
    insert into events (kind, payload)
    select 'source'::event_kind, jsonb_build_object('source', source, 'change', 'unread_labels',
      'labels', jsonb_path_query_array(reported, ${`$[0 to ${MAX_NAMED - 1}]`}::text::jsonpath), 'count', jsonb_array_length(reported))
    from given where jsonb_array_length(reported) > 0`
}

/**
 * The unread labels of a source as JSON text, most frequent first: those of its last scrapes, and those that are marked as known. Null for an
 * unknown source.
 */
export const findLabels = async (db: Db, source: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select json_build_object('source', s.source, 'scrapes', coalesce(l.scrapes + l.scrapes_before, 0), 'count', listed.n,
      'labels', listed.labels)::text as body
    from sources s left join source_labels l using (source) cross join lateral (
      select count(*) as n, coalesce(json_agg(json_build_object('label', label, 'scrapes', seen + "seenBefore",
        'first_seen_at', "firstSeenAt", 'last_seen_at', "lastSeenAt", 'is_known', "isKnown")
        order by seen + "seenBefore" desc, label), '[]') as labels
      from jsonb_to_recordset(coalesce(l.labels, '[]')) as r (
        label text, seen int, "seenBefore" int, "firstSeenAt" text, "lastSeenAt" text, "isKnown" boolean
      )
      where seen + "seenBefore" > 0 or "isKnown"
    ) listed
    where s.source = ${source}`
  return row?.body ?? null
}

/** Marks a label as known, or not. False: the source has no such label. */
export const markLabel = async (
  db: Db,
  source: string,
  { label, isKnown }: { label: string; isKnown: boolean },
): Promise<boolean> => {
  const { count } = await db`
    update source_labels set labels = (
      select jsonb_agg(case when entry ->> 'label' = ${label} then entry || jsonb_build_object('isKnown', ${isKnown}::boolean)
        else entry end order by place)
      from jsonb_array_elements(labels) with ordinality as e (entry, place)
    )
    where source = ${source} and exists (select from jsonb_array_elements(labels) as entry where entry ->> 'label' = ${label})`
  return count > 0
}
