import type { Sql } from '../../core/postgres/database'

/** Every object of the service in the schema `public`, one per line, sorted. Two databases with equal lines have equal schemas. */
export const readCatalog = async (sql: Sql): Promise<string[]> => {
  const rows = await sql<{ line: string }[]>`
    with ours as (
      select c.oid, c.relname, c.relkind, c.reloptions from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
    )
    select 'extension ' || extname as line from pg_extension
    union all
    select format('type %s: %s', t.typname, string_agg(e.enumlabel, ', ' order by e.enumsortorder))
      from pg_type t join pg_enum e on e.enumtypid = t.oid group by t.typname
    union all
    select format('relation %s %s %s', relkind, relname, reloptions) from ours
    union all
    select format('column %s.%s %s: %s%s%s%s%s', relname, row_number() over (partition by ours.oid order by a.attnum), a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' end, ' identity ' || nullif(a.attidentity::text, ''), ' generated ' || nullif(a.attgenerated::text, ''),
        ' default ' || pg_get_expr(d.adbin, d.adrelid))
      from ours join pg_attribute a on a.attrelid = ours.oid and a.attnum > 0 and not a.attisdropped and relkind <> 'S'
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    union all
    select format('sequence %s: %s', relname, to_jsonb(s) - 'seqrelid') from ours join pg_sequence s on s.seqrelid = ours.oid
    union all
    select format('constraint %s.%s: %s', relname, conname, pg_get_constraintdef(k.oid))
      from ours join pg_constraint k on k.conrelid = ours.oid
    union all
    select pg_get_indexdef(i.indexrelid) || ' ' || coalesce(c.reloptions::text, '')
      from ours join pg_index i on i.indrelid = ours.oid join pg_class c on c.oid = i.indexrelid
    union all
    select pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text from ours join pg_trigger t on t.tgrelid = ours.oid and not t.tgisinternal
    union all
    select pg_get_functiondef(p.oid) from pg_proc p
      where p.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where objid = p.oid and classid = 'pg_proc'::regclass and deptype = 'e')
    order by 1`
  return rows.map(({ line }) => line)
}
