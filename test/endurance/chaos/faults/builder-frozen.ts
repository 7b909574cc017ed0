import type { Scenario } from '../scenario'

export const scenario: Scenario = {
  promise:
    'when a builder of tiles freezes, another one builds within 10 s, and the first publishes nothing when it continues',
  roles: ['api', 'tiles', 'tiles'],
  run: async ({ sql, roles, call, recovers }) => {
    const published = async () =>
      (await sql<{ id: string }[]>`select id from tile_builds where status = 'published'`)[0]?.id ?? null
    const building = async () =>
      (await sql<{ id: string }[]>`select id from tile_builds where status = 'building'`)[0]?.id ?? null
    const waiting = async () =>
      (
        await sql<{ count: number }[]>`
          select count(*)::int as count from pg_stat_activity
          where application_name = 'tiles-build' and wait_event_type = 'Lock' and datname = current_database()`
      )[0]?.count ?? 0
    await recovers('the first archive is published', async () => (await published()) !== null, 30_000)
    const before = await published()
    await sql`update parcels set owner_name = 'OWNER OF A SECOND BUILD'`

    const builders = roles.filter(({ role }) => role === 'tiles')
    let frozen = builders[0]
    await sql.begin(async (tx) => {
      // The build waits to read.
      await tx`lock table parcels in access exclusive mode`
      await call('/v1/admin/tiles/build', { method: 'POST' })
      await recovers('a build begins', async () => (await building()) !== null, 10_000)
      await recovers('it waits to read', async () => (await waiting()) > 0, 10_000)
      // It has its own connections. Before it waits, they may not be open yet.
      frozen = builders.toSorted((a, b) => b.links.postgres.count() - a.links.postgres.count())[0]
      frozen?.freeze()
    })
    const abandoned = await building()
    await recovers(
      'another one builds',
      async () =>
        ![null, abandoned].includes((await building()) ?? (await published())) && (await building()) !== abandoned,
      10_000,
    )
    await recovers('it publishes', async () => ![null, before].includes(await published()), 30_000)
    const second = await published()
    frozen?.thaw()
    await Bun.sleep(5_000)
    if ((await published()) !== second) throw new Error('the builder that was frozen has published')
    const [row] = await sql<{ status: string }[]>`select status from tile_builds where id = ${abandoned}`
    if (row?.status !== 'failed') throw new Error(`the abandoned build is ${row?.status}`)
  },
}
