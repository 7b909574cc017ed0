import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { dismissFinding, reopenFinding } from '../../drizzle/queries/findings/dismiss-finding'
import { listFindings } from '../../drizzle/queries/findings/findings'
import { storeFindings } from '../../drizzle/queries/findings/store-findings'
import { upsertParcels } from '../../drizzle/queries/parcels/upsert-parcels'
import { insertCounty } from '../http/test-app'
import { createTestDatabase } from '../support/servers'

const { sql } = await createTestDatabase()
await insertCounty(sql)

const RULES = ['owner-changed', 'unpaid-statement']
const subjects = ['', '2025']
/** A review finds or does not find each of these, with one of three states of evidence. */
const finding = fc.record({
  rule: fc.constantFrom(...RULES),
  subject: fc.constantFrom(...subjects),
  evidence: fc.constantFrom<Record<string, unknown>>(
    { due: 1 },
    { due: 2 },
    { due: 2, was: 'ADA', list: [1, { a: null }] },
  ),
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('review' as const), found: fc.array(finding, { maxLength: 4 }) }),
  fc.record({ kind: fc.constantFrom('dismiss' as const, 'reopen' as const), index: fc.nat(3) }),
)

const keyOf = ({ rule, subject, evidence }: { rule: string; subject: string; evidence: unknown }) =>
  JSON.stringify([rule, subject, evidence])

test('a dismissed finding stays hidden while its evidence is the same, and comes back when the evidence changes', async () => {
  let parcel = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const id = String(++parcel)
      await upsertParcels(sql, 'elm', [{ sourceParcelId: id }])
      const [row] = await sql<{ id: string }[]>`select id from parcels where source_parcel_id = ${id}`
      const parcelId = row?.id ?? ''
      const dismissed = new Set<string>()
      let stored: { id: string; rule: string; subject: string; evidence: unknown }[] = []
      for (const one of steps) {
        const chosen = one.kind === 'review' ? undefined : stored[one.index]
        if (one.kind === 'review') {
          const found = [...new Map(one.found.map((it) => [`${it.rule} ${it.subject}`, it])).values()]
          await storeFindings(sql, [
            {
              parcelId,
              findings: found.map((it) => ({ ...it, severity: 'low', category: 'tax', suggestedAction: 'Look.' })),
            },
          ])
          const rows = await sql<{ id: string; rule: string; subject: string }[]>`
            select id, rule, subject from findings where parcel_id = ${parcelId} order by rule, subject`
          stored = rows.map((it) => ({
            ...it,
            evidence: found.find(({ rule, subject }) => rule === it.rule && subject === it.subject)?.evidence,
          }))
        } else if (chosen !== undefined && one.kind === 'dismiss') {
          await dismissFinding(sql, chosen.id, { reason: 'known', by: 'ada' })
          dismissed.add(keyOf(chosen))
        } else if (chosen !== undefined) {
          await reopenFinding(sql, chosen.id)
          dismissed.delete(keyOf(chosen))
        }
        const list = async (which: 'true' | 'false' | 'any') =>
          ((await listFindings(sql, { source: 'elm', id }, { dismissed: which, limit: 100 })) ?? [])
            .map((body) => (JSON.parse(body) as { id: string }).id)
            .sort()
        const idsOf = (wanted: typeof stored) => wanted.map(({ id }) => id).sort()
        expect(await list('any')).toEqual(idsOf(stored))
        expect(await list('true')).toEqual(idsOf(stored.filter((it) => dismissed.has(keyOf(it)))))
        expect(await list('false')).toEqual(idsOf(stored.filter((it) => !dismissed.has(keyOf(it)))))
      }
    }),
    { numRuns: 60 },
  )
})

test('a finding that is reopened leaves those with equal evidence dismissed: of another subject, rule or parcel', async () => {
  await upsertParcels(sql, 'elm', [{ sourceParcelId: 'one' }, { sourceParcelId: 'other' }])
  const parcels = await sql<{ id: string }[]>`
    select id from parcels where source_parcel_id in ('one', 'other') order by source_parcel_id`
  const inAny = { severity: 'low', category: 'tax', evidence: { due: 1 }, suggestedAction: 'Look.' } as const
  const findings = RULES.flatMap((rule) => subjects.map((subject) => ({ ...inAny, rule, subject })))
  await storeFindings(
    sql,
    parcels.map(({ id }) => ({ parcelId: id, findings })),
  )
  const all = await sql<{ id: string }[]>`
    select id from findings where parcel_id in ${sql(parcels.map(({ id }) => id))} order by id`
  expect(all).toHaveLength(8)
  for (const { id } of all) await dismissFinding(sql, id, { reason: 'known', by: 'ada' })
  for (const [index, { id }] of all.entries()) {
    await reopenFinding(sql, id)
    const open = await sql<{ id: string }[]>`select id from findings where not is_dismissed order by id`
    const ofThese = open.filter((finding) => all.some((one) => one.id === finding.id))
    expect(ofThese.map((finding) => finding.id)).toEqual(all.slice(0, index + 1).map((finding) => finding.id))
  }
})
