import type { Db } from '../../../core/postgres/database'

/** A row of `parcel_changes` as the JSON of the API. */
export const changeJson = (db: Db) => db`
  json_build_object('version', version, 'at', iso_utc(at), 'source', source, 'source_parcel_id', source_parcel_id,
    'action', action, 'cause', cause, 'cause_id', cause_id,
    'changes', (
      select coalesce(json_object_agg(key, json_build_object('former', value -> 0, 'new', value -> 1)), '{}')
      from jsonb_each(changes)
    ),
    'origin', origin)`
