/** Whether there is a pg_dump that reads PostgreSQL 18: one reads servers up to its own version. */
export const isDumpThere = (): boolean => {
  if (Bun.which('pg_dump') === null || Bun.which('pg_restore') === null) return false
  const { stdout } = Bun.spawnSync(['pg_dump', '--version'])
  return Number(/\d+/.exec(stdout.toString())?.[0]) >= 18
}
