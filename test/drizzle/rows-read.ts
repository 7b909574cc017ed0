import type { Sql } from '../../core/postgres/database'

/** The fields of a plan node that are used here, as EXPLAIN (ANALYZE, FORMAT JSON) names them. */
interface PlanNode {
  'Relation Name'?: string
  /** Average per loop. */
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

interface Explained {
  'QUERY PLAN': { Plan: PlanNode }[]
}

/**
 * Runs `query`, which has not been sent yet, and counts the rows of `table` that it read, including those that it filtered out. With a
 * suitable index they are few; without one they are all rows.
 */
export const countRowsRead = async (sql: Sql, query: PromiseLike<unknown>, table: string): Promise<number> => {
  const answer = await sql<Explained[]>`explain (analyze, format json) ${query as never}`
  return answer.flatMap((row) => row['QUERY PLAN']).reduce((sum, { Plan: root }) => sum + rowsOf(root, table), 0)
}

const rowsOf = (node: PlanNode, table: string): number => {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child, table), 0)
  if (node['Relation Name'] !== table) return below
  const eachLoop =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return below + Math.round(eachLoop * node['Actual Loops'])
}
