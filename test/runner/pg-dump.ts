/** Whether there is a pg_dump for PostgreSQL 18. pg_dump cannot read a server newer than itself. */
export const isDumpThere = (): boolean => {
  if (Bun.which('pg_dump') === null || Bun.which('pg_restore') === null) return false
  const { stdout } = Bun.spawnSync(['pg_dump', '--version'])
  return Number(/\d+/.exec(stdout.toString())?.[0]) >= 18
}
