import type { Sql } from '../../../core/postgres/database'
import type { ExpectedColumn, Statement } from './read-statements'

/** A column of a statement, as the server describes it. If it is a column of a table, `table` and `number` identify that. */
interface Column {
  name: string
  type: number
  table: number
  number: number
}

interface Catalog {
  /** By OID: the JavaScript type that the driver returns, and the labels of an enum. */
  types: Map<number, { name: string; labels: string[] | null }>
  /** Columns of tables and views that may be null, as `<table>.<number>`. */
  nullable: Set<string>
}

/**
 * Makes the server describe each statement without running it, and compares the columns with the row type. Returns one line per
 * mismatch, with the place in the code.
 */
export const checkStatements = async (sql: Sql, statements: readonly Statement[]): Promise<string[]> => {
  const catalog = await readCatalog(sql)
  const problems = await Promise.all(
    statements.map(async ({ place, texts, row }) => {
      const described = await Promise.allSettled(texts.map((text) => describe(sql, text)))
      const refused = described.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []))
      const columns = described.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      const misfits = row instanceof Map ? compare(row, columns, catalog) : []
      return [...new Set([...refused, ...misfits])].map((problem) => `${place}: ${problem}`)
    }),
  )
  return problems.flat()
}

/** The driver infers a parameter's type from its value. */
const SAMPLES: Record<number, unknown> = { 16: true, 17: new Uint8Array(), 20: 0n, 1184: new Date(0) }

const describe = async (sql: Sql, { text, valueTypes }: Statement['texts'][number]): Promise<Column[]> => {
  const values = valueTypes.map((oid) => SAMPLES[oid] ?? null)
  const { columns } = await sql.unsafe(text, values as never[]).describe()
  // The driver's types leave out `table` and `number`.
  return columns as unknown as Column[]
}

const compare = (
  row: Map<string, ExpectedColumn>,
  texts: readonly Column[][],
  { types, nullable }: Catalog,
): string[] => {
  const missing = [...row].flatMap(([name, { isOptional }]) => {
    const isThere = (columns: readonly Column[]) => columns.some((column) => column.name === name)
    const fits = isOptional ? texts.some(isThere) : texts.every(isThere)
    return fits ? [] : [`the row type has "${name}", the statement does not`]
  })
  const others = texts.flat().flatMap(({ name, type, table, number }) => {
    const expected = row.get(name)
    if (expected === undefined) return [`the statement has "${name}", the row type does not`]
    const actual = types.get(type)
    if (actual === undefined) return [`"${name}" has the unknown type ${type}`]
    if (!isAssignable(actual.name, expected.types)) {
      return [`"${name}" is ${actual.name} in the statement, and ${expected.types.join(' | ')} in the row type`]
    }
    if (!expected.isNullable && nullable.has(`${table}.${number}`)) {
      return [`"${name}" may be null in the table, and is never null in the row type`]
    }
    const wrong = actual.labels === null ? [] : (expected.literals ?? []).filter((one) => !actual.labels?.includes(one))
    return wrong.map((literal) => `"${name}" is an enum without "${literal}", which the row type has`)
  })
  return [...missing, ...others]
}

/** JSON fits any TypeScript type. */
const isAssignable = (actual: string, expected: readonly string[]): boolean =>
  actual === 'json' || expected.every((type) => type === 'any' || type === actual)

/** The driver returns these types of the server as something other than text (postgres/src/types.js). */
const PARSED: Record<string, string> = {
  ...Object.fromEntries(['int2', 'int4', 'oid', 'float4', 'float8'].map((name) => [name, 'number'])),
  ...Object.fromEntries(['date', 'timestamp', 'timestamptz'].map((name) => [name, 'Date'])),
  ...Object.fromEntries(['json', 'jsonb'].map((name) => [name, 'json'])),
  bool: 'boolean',
  bytea: 'object',
}

const readCatalog = async (sql: Sql): Promise<Catalog> => {
  const types = await sql<{ oid: number; name: string; element: string | null; labels: string[] | null }[]>`
    select t.oid, t.typname as name, case when t.typcategory = 'A' then e.typname end as element,
      (select array_agg(enumlabel::text) from pg_enum where enumtypid = t.oid) as labels
    from pg_type t left join pg_type e on e.oid = t.typelem`
  const nullable = await sql<{ column: string }[]>`
    select a.attrelid || '.' || a.attnum as column
    from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace
    left join pg_attribute shown on c.relname = 'live_parcels' and shown.attrelid = 'parcels'::regclass and shown.attname = a.attname
    where not coalesce(shown.attnotnull, a.attnotnull)`
  return {
    types: new Map(
      types.map(({ oid, name, element, labels }) => {
        const parsed = PARSED[element ?? name] ?? 'string'
        return [oid, { name: element === null ? parsed : `${parsed}[]`, labels }]
      }),
    ),
    nullable: new Set(nullable.map(({ column }) => column)),
  }
}
