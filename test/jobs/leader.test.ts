import { expect, test } from 'bun:test'
import { createLeader } from '../../src/jobs/leader'
import { createTestDatabase, waitFor } from '../servers'

const { url, sql } = await createTestDatabase()

test('one process leads at a time, and the next one takes over when it stops', async () => {
  const [first, second] = [createLeader(url, 'sweeping'), createLeader(url, 'sweeping')]
  expect([await first.leads(), await second.leads(), await first.leads()]).toEqual([true, false, true])
  await first.stop()
  await waitFor(() => second.leads())
  await second.stop()
})

test('who was cut off leads no more, even where the server gives its new connection the same process id', async () => {
  // As a server that was restarted in its container: the ids are the same, the starts of the sessions tell them apart.
  await sql.unsafe(`
    create schema restarted;
    create function restarted.pg_backend_pid() returns int language sql as 'select 42';
    create view restarted.pg_stat_activity as
      select 42 as pid, backend_start from pg_catalog.pg_stat_activity where pid = pg_catalog.pg_backend_pid();
    alter database ${new URL(url).pathname.slice(1)} set search_path = restarted, pg_catalog, public;`)
  const [cutOff, other] = [createLeader(url, 'mopping'), createLeader(url, 'mopping')]
  expect([await cutOff.leads(), await other.leads()]).toEqual([true, false])
  await sql`select pg_terminate_backend(pid) from pg_catalog.pg_stat_activity
    where application_name = 'mopping-leader' and pid in (select pid from pg_catalog.pg_locks where locktype = 'advisory' and granted)`
  await waitFor(() => other.leads())
  await waitFor(async () => (await cutOff.leads().catch(() => null)) !== null)
  expect(await cutOff.leads()).toBe(false)
  await cutOff.stop()
  await other.stop()
})
