import { connectDatabase } from '../../../../core/postgres/database'
import type { Engine } from '../engine'

const SET_SIZE = 5_000

/**
 * PostgreSQL with `pg_trgm`: fields that resemble the query are candidates, through a trigram index. A record's score is its most similar field,
 * or how well the query fits into the whole record.
 */
export const createTrigramEngine = (databaseUrl: string): Engine => {
  const sql = connectDatabase(databaseUrl)
  return {
    load: async ({ parcels, companies }) => {
      await sql.unsafe(`
        create extension if not exists pg_trgm;
        drop schema if exists trigrams cascade;
        create schema trigrams;
        create table trigrams.parcels (id text, owner text, address text, mailing text, line text, place point);
        create table trigrams.companies (id text, name text);
      `)
      for (let start = 0; start < parcels.length; start += SET_SIZE) {
        const rows = parcels.slice(start, start + SET_SIZE).map((parcel) => {
          const { sourceParcelId, ownerName, situsAddress, situsCity, situsState, situsZip, ownerMailingAddress } =
            parcel
          const line = [ownerName, situsAddress, situsCity, situsState, situsZip, sourceParcelId, ownerMailingAddress]
          return {
            id: sourceParcelId,
            owner: ownerName ?? '',
            address: situsAddress ?? '',
            mailing: ownerMailingAddress ?? '',
            line: line.filter(Boolean).join(' '),
            place: `(${parcel.bbox?.[0] ?? 0},${parcel.bbox?.[1] ?? 0})`,
          }
        })
        await sql`insert into trigrams.parcels ${sql(rows)}`
      }
      for (let start = 0; start < companies.length; start += SET_SIZE) {
        const rows = companies
          .slice(start, start + SET_SIZE)
          .map(({ registryNumber, name }) => ({ id: registryNumber, name }))
        await sql`insert into trigrams.companies ${sql(rows)}`
      }
      await sql.unsafe(`
        create index on trigrams.parcels using gin (id gin_trgm_ops, owner gin_trgm_ops, address gin_trgm_ops, mailing gin_trgm_ops);
        create index on trigrams.companies using gin (name gin_trgm_ops);
        analyze trigrams.parcels, trigrams.companies;
      `)
    },
    search: async ({ q, limit, kind = 'parcels', near }) => {
      const place = `(${near?.lon ?? 0},${near?.lat ?? 0})`
      const rows =
        kind === 'companies'
          ? await sql<{ id: string }[]>`
              select id from trigrams.companies where name % ${q} order by similarity(name, ${q}) desc, id limit ${limit}`
          : await sql<{ id: string }[]>`
              select id from trigrams.parcels
              where owner % ${q} or address % ${q} or id % ${q} or mailing % ${q}
              order by greatest(similarity(owner, ${q}), similarity(address, ${q}), similarity(id, ${q}),
                similarity(mailing, ${q}), strict_word_similarity(${q}, line)) desc, place <-> ${place}::point, id
              limit ${limit}`
      return rows.map(({ id }) => id)
    },
    stop: async () => {
      await sql`drop schema if exists trigrams cascade`
      await sql.end({ timeout: 1 })
    },
  }
}
