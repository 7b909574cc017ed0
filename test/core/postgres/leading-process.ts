import { connectDatabase } from '../../../core/postgres/database'
import { createLeader } from '../../../core/postgres/leader/leader'

/*
 * bun test/core/postgres/leading-process.ts DATABASE_URL NAME HOLD_MS
 *
 * A process that leads when it can, for tests that freeze or kill it. While it leads, it writes rows to `written` (name, time), each in a
 * transaction that stays open for HOLD_MS after the row. Prints `leads` and `lost`.
 */
const [databaseUrl = '', name = '', holdMs = '0'] = process.argv.slice(2)
const sql = connectDatabase(databaseUrl, { max: 1, applicationName: `writer-${name}` })
const leader = createLeader(databaseUrl, 'writing')
let isStopping = false
process.on('SIGTERM', () => {
  isStopping = true
})
for (let led = false; !isStopping; ) {
  try {
    const lead = await leader.lead()
    if ((lead !== null) !== led) console.log(lead === null ? 'lost' : 'leads')
    led = lead !== null
    await lead?.begin(sql, async (tx) => {
      await tx`insert into written (name, at) values (${name}, clock_timestamp())`
      await Bun.sleep(Number(holdMs))
    })
  } catch {
    // The loop asks again.
  }
  await Bun.sleep(20)
}
await leader.stop()
await sql.end({ timeout: 1 })
