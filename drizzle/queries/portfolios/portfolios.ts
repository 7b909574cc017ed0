import type { Db } from '../../../core/postgres/database'

/** Who a portfolio or a saved search belongs to. */
export interface PortfolioOwner {
  owner: string
  accountId: string | null
}

const fieldsOf = (db: Db) => db`
  f.id, f.name, iso_utc(f.created_at) as created_at,
  (select count(*)::int from portfolio_parcels where portfolio_id = f.id) as parcel_count`

/** Portfolios as JSON texts, newest first. `after`: the id of the last one of the previous page. */
export const listPortfolios = (
  db: Db,
  owner: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<{ id: string; body: string }[]> => db<{ id: string; body: string }[]>`
  select id, row_to_json(row)::text as body from (
    select ${fieldsOf(db)} from portfolios f
    where f.owner = ${owner} ${after === null ? db`` : db`and f.id < ${after}`}
    order by f.id desc limit ${limit}
  ) row order by id desc`

/** A portfolio with its parcels, newest first, as JSON text. Null: there is none, or it belongs to another owner. */
export const findPortfolio = async (db: Db, owner: string, id: string): Promise<string | null> => {
  const [row] = await db<{ body: string }[]>`
    select row_to_json(row)::text as body from (
      select ${fieldsOf(db)}, coalesce((
        select json_agg(row_to_json(entry)) from (
          select e.source, e.source_parcel_id, e.note, e.tags, iso_utc(e.added_at) as added_at, s.state, s.county_name,
            p.owner_name, p.situs_address, p.situs_city, p.assessed_value, p.acreage, p.land_use_class,
            case when p.bbox is not null then array[(middle(p.bbox))[0], (middle(p.bbox))[1]] end as center,
            iso_utc(p.retired_at) as retired_at
          from portfolio_parcels e
            join sources s on s.source = e.source
            left join parcels p on p.source = e.source and p.source_parcel_id = e.source_parcel_id
          where e.portfolio_id = f.id
          order by e.added_at desc, e.source, e.source_parcel_id
        ) entry
      ), '[]') as parcels
      from portfolios f where f.id = ${id} and f.owner = ${owner}
    ) row`
  return row?.body ?? null
}

/** The id of a new portfolio. Null: the owner has `most` already. */
export const addPortfolio = async (
  db: Db,
  { owner, accountId }: PortfolioOwner,
  { name, most }: { name: string; most: number },
): Promise<string | null> => {
  await db`select pg_advisory_xact_lock(hashtextextended(${`portfolios ${owner}`}, 0))`
  const [row] = await db<{ id: string }[]>`
    insert into portfolios (owner, account_id, name)
    select ${owner}, ${accountId}, ${name}
    where (select count(*) from portfolios where owner = ${owner}) < ${most}
    returning id`
  return row?.id ?? null
}

/** Whether there was one. */
export const renamePortfolio = async (db: Db, owner: string, id: string, name: string): Promise<boolean> =>
  (await db`update portfolios set name = ${name} where id = ${id} and owner = ${owner}`).count > 0

/** Whether there was one. */
export const deletePortfolio = async (db: Db, owner: string, id: string): Promise<boolean> =>
  (await db`delete from portfolios where id = ${id} and owner = ${owner}`).count > 0

export interface PortfolioEntry {
  source: string
  sourceParcelId: string
  note: string
  tags: readonly string[]
}

/**
 * Adds a parcel, or replaces its note and tags. `unknown`: the owner has no such portfolio, or there is no such parcel. `full`: the
 * portfolio has `most` parcels.
 */
export const putPortfolioParcel = async (
  db: Db,
  owner: string,
  id: string,
  { source, sourceParcelId, note, tags }: PortfolioEntry,
  most: number,
): Promise<'stored' | 'unknown' | 'full'> => {
  const [portfolio] = await db`select from portfolios where id = ${id} and owner = ${owner} for update`
  if (portfolio === undefined) return 'unknown'
  const [{ others } = { others: 0 }] = await db<{ others: number }[]>`
    select count(*)::int as others from portfolio_parcels
    where portfolio_id = ${id} and (source, source_parcel_id) <> (${source}, ${sourceParcelId})`
  if (others >= most) return 'full'
  const { count } = await db`
    insert into portfolio_parcels (portfolio_id, source, source_parcel_id, note, tags)
    select ${id}, source, source_parcel_id, ${note}, ${db.array([...tags], 25)}::text[]
    from parcels where source = ${source} and source_parcel_id = ${sourceParcelId}
    on conflict (portfolio_id, source, source_parcel_id) do update set note = excluded.note, tags = excluded.tags`
  return count > 0 ? 'stored' : 'unknown'
}

/** False: the portfolio does not have the parcel. */
export const removePortfolioParcel = async (
  db: Db,
  owner: string,
  id: string,
  { source, sourceParcelId }: Pick<PortfolioEntry, 'source' | 'sourceParcelId'>,
): Promise<boolean> =>
  (
    await db`
      delete from portfolio_parcels using portfolios f
      where portfolio_id = f.id and f.id = ${id} and f.owner = ${owner}
        and source = ${source} and source_parcel_id = ${sourceParcelId}`
  ).count > 0
