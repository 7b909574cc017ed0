import type { PendingQuery, Row } from 'postgres'
import type { Db, Sql } from '../../core/postgres/database'

/** The fields of a plan node that are used here, as EXPLAIN (ANALYZE, FORMAT JSON) names them. */
interface PlanNode {
  'Relation Name'?: string
  /** Average per loop. */
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: PlanNode[]
}

interface Explained {
  'QUERY PLAN': { Plan: PlanNode }[]
}

/**
 * Runs `query`, which has not been sent yet, and counts the rows of `table` that it read, including those that it filtered out. With a
 * suitable index they are few; without one they are all rows.
 */
export const countRowsRead = async (sql: Sql, query: PromiseLike<unknown>, table: string): Promise<number> =>
  rowsOf(await runAndExplain(sql, query), table)

/**
 * Runs `query`, which has not been sent yet, and counts the rows that all steps of its plan returned or discarded. With a nested loop
 * over two lists they grow with the product of the lists' lengths.
 */
export const countRowsProcessed = async (sql: Sql, query: PromiseLike<unknown>): Promise<number> =>
  processedRowsOf(await runAndExplain(sql, query))

/**
 * Like `countRowsProcessed`, with the plan that PostgreSQL caches for any parameters. A connection uses it from the sixth call of a
 * statement on, if it does not expect much more work of it.
 */
export const countRowsProcessedFromCache = (sql: Sql, queryOf: (db: Db) => PromiseLike<unknown>): Promise<number> =>
  sql.begin(async (tx) => {
    const query = queryOf(tx) as PendingQuery<Row[]> & { parameters: readonly unknown[] }
    const { string } = await query.describe()
    await tx`set local plan_cache_mode = force_generic_plan`
    await tx.unsafe(`prepare cached as ${string}`)
    const values = query.parameters.map((value) =>
      value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`,
    )
    const processed = processedRowsOf(
      await runAndExplain(tx, tx.unsafe(`execute cached${values.length > 0 ? `(${values})` : ''}`)),
    )
    await tx`deallocate cached`
    return processed
  })

const runAndExplain = async (sql: Db, query: PromiseLike<unknown>): Promise<PlanNode> => {
  const [answer] = await sql<Explained[]>`explain (analyze, format json) ${query as never}`
  const root = answer?.['QUERY PLAN'][0]?.Plan
  if (root === undefined) throw new Error('EXPLAIN returned no plan')
  return root
}

const processedRowsOf = (node: PlanNode): number => {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + processedRowsOf(child), 0)
  const eachLoop =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  return below + Math.round(eachLoop * node['Actual Loops'])
}

const rowsOf = (node: PlanNode, table: string): number => {
  const below = (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child, table), 0)
  if (node['Relation Name'] !== table) return below
  const eachLoop =
    node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return below + Math.round(eachLoop * node['Actual Loops'])
}
