import { expect, test } from 'bun:test'
import { connectDatabase, readPoolUse, type Sql, type Transaction } from '../../../core/postgres/database'
import { isConnectionLost } from '../../../core/postgres/transient-errors'
import { WAIT_TIMEOUT_MS } from '../../support/deadlines'
import { createTestDatabase, waitFor } from '../../support/servers'

/*
 * A transaction must do nothing more once its connection is lost. https://github.com/porsager/postgres/issues/1216, 1186, 1195 and 1199
 * describe parts of what happens without our patch.
 */

const database = await createTestDatabase()
const observer = database.sql
await observer`create table marks (id int generated always as identity, name text not null)`

/** A lost connection has several codes: that of the driver and those of the operating system. */
const codeOf = (error: unknown): unknown => {
  if (isConnectionLost(error)) return 'lost'
  return error instanceof Error && 'code' in error ? error.code : error
}
const pidOf = async (db: Sql | Transaction): Promise<number> => {
  const [row] = await db<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid ?? 0
}
const hasEnded = async (pid: number): Promise<boolean> =>
  (await observer`select from pg_stat_activity where pid = ${pid}`).length === 0
const endSession = async (pid: number): Promise<void> => {
  await observer`select pg_terminate_backend(${pid})`
  await waitFor(() => hasEnded(pid))
}
const namesLike = async (pattern: string): Promise<string[]> =>
  (await observer<{ name: string }[]>`select name from marks where name like ${pattern} order by id`).map(
    ({ name }) => name,
  )
const patience = <Value>(promise: Promise<Value>): Promise<Value | 'not in time'> =>
  Promise.race([promise, Bun.sleep(WAIT_TIMEOUT_MS).then(() => 'not in time' as const)])

/** The session of one transaction is ended while it waits for something else. Another begins on the connection that replaces it. */
const loseFirstOfTwo = async (name: string, firstGoesOn: (tx: Transaction) => Promise<unknown>) => {
  const sql = connectDatabase(database.url, { max: 1 })
  const begun = Promise.withResolvers<void>()
  const secondWrote = Promise.withResolvers<void>()
  const firstEnded = Promise.withResolvers<void>()
  let pid = 0
  const first = sql
    .begin(async (tx) => {
      try {
        pid = await pidOf(tx)
        begun.resolve()
        await secondWrote.promise
        return await firstGoesOn(tx)
      } finally {
        setTimeout(() => firstEnded.resolve(), 100)
      }
    })
    .then(() => 'committed', codeOf)
  await begun.promise
  await endSession(pid)
  const second = sql
    .begin(async (tx) => {
      await tx`insert into marks (name) values (${`${name} second 1`})`
      secondWrote.resolve()
      await firstEnded.promise
      await tx`insert into marks (name) values (${`${name} second 2`})`
    })
    .then(() => 'committed', codeOf)
  const outcomes = [await patience(first), await patience(second)]
  await sql.end({ timeout: 1 })
  return outcomes
}

test('the rollback of a transaction that lost its connection does not affect the next transaction', async () => {
  const outcomes = await loseFirstOfTwo('thrown', async () => {
    throw new Error('given up')
  })
  expect(outcomes).toEqual(['lost', 'committed'])
  expect(await namesLike('thrown%')).toEqual(['thrown second 1', 'thrown second 2'])
})

test('a statement of a transaction that lost its connection is not committed by the next transaction', async () => {
  let late: unknown
  const outcomes = await loseFirstOfTwo('goes on', async (tx) => {
    late = await tx`insert into marks (name) values ('goes on first')`.catch(codeOf)
  })
  expect(late).toBe('lost')
  expect(outcomes).toEqual(['lost', 'committed'])
  expect(await namesLike('goes on%')).toEqual(['goes on second 1', 'goes on second 2'])
})

test('a savepoint, its release and its rollback do not affect the next transaction either', async () => {
  const outcomes = await loseFirstOfTwo('savepoint', async (tx) => {
    await tx.savepoint((inner) => inner`insert into marks (name) values ('savepoint first')`).catch(() => {})
    await tx`insert into marks (name) values ('savepoint first, later')`.catch(() => {})
  })
  expect(outcomes).toEqual(['lost', 'committed'])
  expect(await namesLike('savepoint%')).toEqual(['savepoint second 1', 'savepoint second 2'])
})

/** Transactions that lose their connection. `lose` ends the session. */
const LOSSES: Record<string, (tx: Transaction, lose: (pid: number) => Promise<void>) => Promise<unknown>> = {
  'during a statement': async (tx, lose) => {
    const pid = await pidOf(tx)
    const sleeping = tx`select pg_sleep(60)`.then(() => {})
    void sleeping.catch(() => {})
    await lose(pid)
    await sleeping
  },
  'during a statement, with its error caught': async (tx, lose) => {
    const pid = await pidOf(tx)
    const sleeping = tx`select pg_sleep(60)`.catch(() => 'caught')
    await lose(pid)
    await sleeping
    await tx`select 1`.catch(() => 'caught too')
    return 'done all the same'
  },
  'between statements': async (tx, lose) => {
    await lose(await pidOf(tx))
    await tx`select 1`
  },
  'after its last statement': async (tx, lose) => {
    await lose(await pidOf(tx))
    return 'done all the same'
  },
  'during a statement in a savepoint': async (tx, lose) => {
    await tx.savepoint(async (inner) => {
      const pid = await pidOf(inner)
      const sleeping = inner`select pg_sleep(60)`.then(() => {})
      void sleeping.catch(() => {})
      await lose(pid)
      await sleeping
    })
  },
  'between statements in a savepoint, with the error caught': async (tx, lose) => {
    await tx
      .savepoint(async (inner) => {
        await lose(await pidOf(inner))
        await inner`select 1`
      })
      .catch(() => {})
    return 'done all the same'
  },
  'while many statements wait': async (tx, lose) => {
    const pid = await pidOf(tx)
    const all = Promise.allSettled(Array.from({ length: 20 }, (_, n) => tx`select pg_sleep(60), ${n}::int`))
    await lose(pid)
    const settled = await all
    if (settled.some(({ status }) => status === 'fulfilled')) throw new Error('a statement was answered')
  },
}

/** Repeats the statements, because a place whose connection opens slowly may get none of the first ones. */
const expectThreeFreePlaces = async (sql: Sql): Promise<void> => {
  await waitFor(async () => {
    const together = Promise.all([1, 2, 3].map((n) => sql`select ${n}::int as n, pg_sleep(0.05)`))
    expect(await patience(together)).toHaveLength(3)
    return readPoolUse(sql).idle === 3
  })
  expect(readPoolUse(sql)).toEqual({ max: 3, busy: 0, idle: 3, waiting: 0 })
}

for (const [form, work] of Object.entries(LOSSES)) {
  test(`each of 20 transactions that lose their connection ${form} fails, and its place in the pool is free again`, async () => {
    const sql = connectDatabase(database.url, { max: 3 })
    for (let round = 0; round < 20; round++) {
      const outcome = sql.begin((tx) => work(tx, endSession)).then(() => 'committed', codeOf)
      expect(await patience(outcome)).toBe('lost')
    }
    await expectThreeFreePlaces(sql)
    await sql.end({ timeout: 1 })
  })
}

test('the statements of 20 lost reserved connections are refused, and their places are free again', async () => {
  const sql = connectDatabase(database.url, { max: 3 })
  for (let round = 0; round < 20; round++) {
    const reserved = await patience(sql.reserve())
    if (reserved === 'not in time') throw new Error(`nothing was free in round ${round}`)
    const pid = await pidOf(reserved)
    const sleeping = round % 2 === 0 ? reserved`select pg_sleep(60)`.catch(codeOf) : Promise.resolve('lost')
    await endSession(pid)
    expect(await patience(sleeping)).toBe('lost')
    expect(await patience(reserved`select 1`.catch(codeOf))).toBe('lost')
    reserved.release()
    reserved.release()
  }
  await expectThreeFreePlaces(sql)
  await sql.end({ timeout: 1 })
})

test('a caller that waits to reserve a connection gets one when others are lost', async () => {
  const sql = connectDatabase(database.url, { max: 1 })
  for (let round = 0; round < 5; round++) {
    const sleeping = sql`select pg_sleep(60)`.catch(codeOf)
    await waitFor(
      async () =>
        (
          await observer`select from pg_stat_activity where query = 'select pg_sleep(60)' and datname = current_database()`
        ).length === 1,
    )
    const waiting = sql.reserve()
    await observer`select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)' and datname = current_database()`
    expect(await patience(sleeping)).toBe('lost')
    const reserved = await patience(waiting)
    if (reserved === 'not in time') throw new Error(`stranded in round ${round}`)
    expect([...(await reserved`select 1 as n`)]).toEqual([{ n: 1 }])
    reserved.release()
  }
  await sql.end({ timeout: 1 })
})

test('a released connection refuses statements', async () => {
  const sql = connectDatabase(database.url, { max: 1 })
  const reserved = await sql.reserve()
  reserved.release()
  const outcome = sql.begin(async (tx) => {
    await tx`insert into marks (name) values ('given back 1')`
    const late = await reserved`insert into marks (name) values ('given back late')`.catch(codeOf)
    reserved.release()
    await tx`insert into marks (name) values ('given back 2')`
    return late
  })
  expect(await patience(outcome)).toBe('CONNECTION_RELEASED')
  expect(await namesLike('given back%')).toEqual(['given back 1', 'given back 2'])
  await sql.end({ timeout: 1 })
})

test('a statement that a transaction did not await does not run in the next transaction', async () => {
  const sql = connectDatabase(database.url, { max: 1 })
  let forgotten: Promise<unknown> = Promise.resolve()
  const go = Promise.withResolvers<void>()
  const failed = await sql
    .begin(async (tx) => {
      forgotten = go.promise.then(() => tx`insert into marks (name) values ('forgotten')`).catch(codeOf)
      await tx`select 1 / 0`
    })
    .catch(codeOf)
  expect(failed).toBe('22012')
  await sql.begin(async (tx) => {
    await tx`insert into marks (name) values ('forgotten: another')`
    go.resolve()
    expect(await patience(forgotten)).toBe('CONNECTION_RELEASED')
  })
  expect(await namesLike('forgotten%')).toEqual(['forgotten: another'])
  await sql.end({ timeout: 1 })
})

test('a transaction that is queued behind a hundred statements has its connection for itself', async () => {
  const sql = connectDatabase(database.url, { max: 1 })
  await sql`select 1`
  for (let ahead = 97; ahead <= 103; ahead++) {
    const asked = Array.from({ length: ahead }, (_, n) => sql.unsafe(`select ${n}`).then(() => 'answered', codeOf))
    const begun = sql
      .begin(async (tx) => {
        await tx`insert into marks (name) values ('behind many')`
        throw new Error('given up')
      })
      .catch(({ message }) => message)
    const after = sql`insert into marks (name) values (${`after ${ahead}`})`.then(() => 'stored', codeOf)
    expect(await patience(Promise.all(asked))).toEqual(asked.map(() => 'answered'))
    expect(await patience(begun)).toBe('given up')
    expect(await patience(after)).toBe('stored')
  }
  await sql.end({ timeout: 1 })
  expect(await namesLike('behind many')).toEqual([])
  expect(await namesLike('after %')).toHaveLength(7)
})

test('a value that cannot be sent fails only its own statement', async () => {
  const sql = connectDatabase(database.url, { max: 1 })
  const asked = () => [
    sql`select pg_sleep(0.1), 'first' as name`,
    sql`select ${new Date(Number.NaN)}::timestamptz as at`,
    sql`select ${undefined as unknown as string}::text as nothing`,
    sql`select 'last' as name`,
  ]
  for (let round = 0; round < 3; round++) {
    const outcomes = await patience(
      Promise.all(
        asked().map((query) =>
          query.then(
            ([row]) => (row as { name: string }).name,
            () => 'refused',
          ),
        ),
      ),
    )
    expect(outcomes).toEqual(['first', 'refused', 'refused', 'last'])
  }
  await sql.end({ timeout: 1 })
})

test('a statement that is cancelled before it is sent takes no place in the pool', async () => {
  const sql = connectDatabase(database.url, { max: 2 })
  await sql`select 1`
  for (let round = 0; round < 5; round++) {
    const query = sql`select 1`
    const outcome = query.then(() => 'answered', codeOf)
    query.cancel()
    expect(await patience(outcome)).toBe('57014')
  }
  expect(await patience(sql`select 7 as n`.then(([row]) => row?.n))).toBe(7)
  const holder = connectDatabase(database.url, { max: 1 })
  const [locked, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = holder.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(30)`
    locked.resolve()
    await sent.promise
  })
  await locked.promise
  const isWaiting = async () =>
    (
      await observer`
        select from pg_locks where locktype = 'advisory' and objid = 30 and not granted
          and database = (select oid from pg_database where datname = current_database())`
    ).length > 0
  const inTransaction = sql.begin(async (tx) => {
    const waiting = tx`select pg_advisory_xact_lock(30), ${1}::int`
    const running = waiting.then(() => 'answered')
    const query = tx`select 2`
    const cancelled = query.then(() => 'answered', codeOf)
    const behind = tx.unsafe('select 3').then(() => 'answered')
    await waitFor(isWaiting)
    query.cancel()
    sent.resolve()
    return [await running, await cancelled, await behind]
  })
  const outcome = await patience(inTransaction.catch(codeOf))
  expect<unknown[]>(['57014', ['answered', '57014', 'answered']]).toContainEqual(outcome)
  await holding
  await holder.end({ timeout: 1 })
  await sql.end({ timeout: 1 })
})

test('the error of a lost transaction contains the server’s message', async () => {
  const sql = connectDatabase(database.url, { max: 1 })
  const lost = await sql
    .begin(async (tx) => {
      const pid = await pidOf(tx)
      await tx`set local idle_in_transaction_session_timeout = 50`
      await waitFor(() => hasEnded(pid))
      await tx`select 1`
    })
    .catch((error) => error)
  expect(codeOf(lost)).toBe('lost')
  expect(lost.cause).toMatchObject({ code: '25P03' })
  expect(isConnectionLost(lost)).toBe(true)
  await sql.end({ timeout: 1 })
})

test('when sessions are ended repeatedly under load, every confirmed commit is stored, complete and unmixed', async () => {
  await observer`create table kept (run int not null, part int not null, written_by int not null default txid_current()::text::int)`
  const sql = connectDatabase(database.url, { max: 4, applicationName: 'stormed' })
  const told = new Map<number, 'committed' | 'given up' | 'failed' | 'lost in commit'>()
  const single: number[] = []
  let runs = 0
  let over = false
  const client = async () => {
    while (!over) {
      const run = ++runs
      if (run % 5 === 0) {
        await sql`insert into kept (run, part) values (${run}, 0)`.then(
          () => single.push(run),
          () => {},
        )
        continue
      }
      let atCommit = false
      await sql
        .begin(async (tx) => {
          await tx`insert into kept (run, part) values (${run}, 1)`
          // The transaction waits for something else. Some wait longer than a reconnect takes, so that they outlive their connection.
          await Bun.sleep(Math.random() * (run % 2 === 0 ? 600 : 10))
          if (run % 3 === 0) await tx.savepoint((inner) => inner`insert into kept (run, part) values (${run}, 2)`)
          else await tx`insert into kept (run, part) values (${run}, 2)`
          if (run % 4 === 0) await Bun.sleep(Math.random() * 200)
          if (run % 7 === 0) throw new Error('given up')
          await tx`insert into kept (run, part) values (${run}, 3)`
          atCommit = true
        })
        .then(
          () => told.set(run, 'committed'),
          (error) => told.set(run, error.message === 'given up' ? 'given up' : atCommit ? 'lost in commit' : 'failed'),
        )
    }
  }
  const clients = Array.from({ length: 12 }, client)
  let ended = 0
  const countCommitted = () => [...told.values()].filter((outcome) => outcome === 'committed').length
  const until = Date.now() + 5_000
  // A busy machine needs longer for enough of both.
  while (Date.now() < until || ended <= 20 || countCommitted() <= 20) {
    const [row] = await observer<{ count: number }[]>`
      select count(pg_terminate_backend(pid))::int as count from (
        select pid from pg_stat_activity where application_name = 'stormed' order by random() limit 1) victims`
    ended += row?.count ?? 0
    await Bun.sleep(40)
  }
  over = true
  expect(await patience(Promise.all(clients))).toHaveLength(12)
  const together = Promise.all([1, 2, 3, 4].map((n) => sql`select ${n}::int, pg_sleep(0.05)`.catch(codeOf)))
  expect(await patience(together)).toHaveLength(4)
  await sql.end({ timeout: 1 })
  expect(ended).toBeGreaterThan(20)
  const rows = await observer<{ run: number; parts: number[]; writers: number }[]>`
    select run, array_agg(part order by part) as parts, count(distinct written_by)::int as writers from kept group by run`
  const kept = new Map(rows.map(({ run, parts, writers }) => [run, `${parts.join('')} by ${writers}`]))
  const wrong: unknown[] = []
  for (const [run, outcome] of told) {
    const found = kept.get(run) ?? 'nothing'
    const mayBeThere = outcome === 'committed' || outcome === 'lost in commit'
    const mayBeAbsent = outcome !== 'committed'
    if (!((mayBeThere && found === '123 by 1') || (mayBeAbsent && found === 'nothing')))
      wrong.push({ run, outcome, found })
  }
  for (const run of single) if (kept.get(run) !== '0 by 1') wrong.push({ run, found: kept.get(run) ?? 'nothing' })
  expect(wrong).toEqual([])
  // All rows of one transaction are from one run.
  const mixed = await observer`select written_by from kept group by written_by having count(distinct run) > 1`
  expect([...mixed]).toEqual([])
  expect(countCommitted()).toBeGreaterThan(20)
})

test('a statement with an outdated plan is not retried inside the transaction that is queued behind it', async () => {
  await observer`create table widening (n int)`
  await observer`insert into widening values (1)`
  const sql = connectDatabase(database.url, { max: 1 })
  for (let round = 0; round < 3; round++) {
    const touch = () => sql`update widening set n = n + 1 returning *`
    await touch()
    await observer`alter table widening add column ${observer(`more_${round}`)} int`
    const slow = sql`select pg_sleep(0.05)`.then(() => 'answered')
    const stale = touch().then(() => 'stored', codeOf)
    const begun = sql
      .begin(async (tx) => {
        await tx`select pg_sleep(0.1)`
        throw new Error('given up')
      })
      .catch(({ message }) => message)
    expect(await patience(Promise.all([slow, stale, begun]))).toEqual(['answered', 'stored', 'given up'])
  }
  const [row] = await observer<{ n: number }[]>`select n from widening`
  expect(row?.n).toBe(7)
  await sql.end({ timeout: 1 })
})
