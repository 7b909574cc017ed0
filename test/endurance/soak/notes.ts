import type { Sql } from '../../../core/postgres/database'

/**
 * Records every stored scrape and every ended job, with its transaction. A job becomes done in the same transaction that stores its
 * scrape, so the two must pair up.
 */
export const takeNotes = async (sql: Sql): Promise<void> => {
  await sql.unsafe(`
    create table soak_stored (source text, source_parcel_id text, transaction xid8 default pg_current_xact_id());
    create table soak_ended (
      id uuid, source text, source_parcel_id text, status job_status, transaction xid8 default pg_current_xact_id()
    );
    create function soak_note() returns trigger language plpgsql as $$ begin
      if tg_argv[0] = 'stored' then
        insert into soak_stored values (new.source, new.source_parcel_id);
      elsif new.status in ('done', 'error') and old.status not in ('done', 'error') then
        insert into soak_ended values (new.id, new.source, new.source_parcel_id, new.status);
      elsif old.status in ('done', 'error') and new.status <> old.status then
        raise 'job % was % and becomes %', new.id, old.status, new.status;
      end if;
      return null;
    end $$;
    create trigger soak_stored after insert or update of scraped_at on parcels for each row when (new.scraped_at is not null) execute function soak_note('stored');
    create trigger soak_ended after update of status on scrape_jobs for each row execute function soak_note('ended');
  `)
}
