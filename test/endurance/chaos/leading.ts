import { readFileSync } from 'node:fs'
import type { ChaosRole, Stack } from './stack'

/** The log line of a role that begins to lead. */
const SIGN = {
  worker: '"msg":"this process now dispatches jobs"',
  scheduler: '"msg":"refresh started"',
  sync: '"kind":"leading"',
} as const

/** The process of this role that led last, by its log. A scheduler shows it when it starts a refresh. */
export const findLeader = ({ roles }: Stack, role: keyof typeof SIGN): ChaosRole => {
  const led = roles.filter((one) => one.role === role).map((one) => ({ one, at: lastTime(one.logFile, SIGN[role]) }))
  const last = led.toSorted((a, b) => b.at - a.at)[0]
  if (last === undefined || last.at === 0) throw new Error(`no ${role} has led`)
  return last.one
}

const lastTime = (logFile: string, sign: string): number => {
  const line = readFileSync(logFile, 'utf8')
    .split('\n')
    .findLast((one) => one.includes(sign))
  return line === undefined ? 0 : (JSON.parse(line) as { time: number }).time
}

/** Makes a source due, so that the leading scheduler refreshes it; only its first parcels remain to be done. */
export const makeDue = async ({ sql }: Stack, source: string): Promise<void> => {
  await sql`update sources set active = true where source = ${source}`
  await sql`update source_refresh_policies set agricultural_only = true, next_due_at = now() where source = ${source}`
}

/** Whether a refresh of the source has begun and all its jobs are queued. */
export const isStarted =
  ({ sql }: Stack, source: string) =>
  async (): Promise<boolean> =>
    (
      await sql`select from source_refresh_policies where source = ${source} and next_due_at > now() and (run_started_at is null or run_ends_at is not null)`
    ).length > 0

/** Changes a parcel of the source, which must reach the index. */
export const changeOwner = async ({ sql }: Stack, source: string, ownerName: string): Promise<void> => {
  await sql`
    update parcels set owner_name = ${ownerName}
    where id = (select id from parcels where source = ${source} order by source_parcel_id limit 1)`
}
