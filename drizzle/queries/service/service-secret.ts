import type { Db } from '../../../core/postgres/database'

/** The service's random key with this name. The first process that needs it creates it. */
export const readServiceSecret = async (db: Db, name: string): Promise<string> => {
  const [row] = await db<{ secret: string }[]>`
    with made as (
      insert into service_secrets (name, secret)
      select ${name}, encode(sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea), 'hex')
      where not exists (select from service_secrets where name = ${name})
      on conflict do nothing returning secret
    )
    select secret from made union all select secret from service_secrets where name = ${name}`
  // Another process created it between the two reads.
  return row?.secret ?? readServiceSecret(db, name)
}
