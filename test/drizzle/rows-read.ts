import type { Sql } from '../../core/postgres/database'

/** What of a plan's node is looked at here, as EXPLAIN (ANALYZE, FORMAT JSON) names it. */
interface PlanNode {
  'Relation Name'?: string
  /** On average of its loops. */
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
 * Runs `query`, which has not been sent yet, and counts the rows of `table` that it looked at, those that it left out included: few
 * where an index leads to what is answered, all of them where none does.
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
