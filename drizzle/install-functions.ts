import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db, Transaction } from '../core/postgres/database'

/** A function or trigger of `drizzle/functions`. */
export interface DeclaredFunction {
  kind: 'function' | 'trigger'
  /** The name in the form that DROP takes: `function iso_utc(moment timestamp with time zone)`, `trigger parcels_updated on parcels`. */
  name: string
  /** SHA-256 of the statement, in hex. */
  hash: string
  statement: string
}

const HEADER =
  /^create or replace (?:function (?<signature>\w+\([^)]*\))|trigger (?<trigger>\w+)\s[^;]*?\son (?<table>\w+)\s)/im

/** The functions and triggers in the files of `folder`. Throws on a statement that is neither. */
export const listFunctions = (folder = join(import.meta.dirname, 'functions')): DeclaredFunction[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(folder, file), 'utf8')
        .split('--> statement-breakpoint')
        .map((statement) => readStatement(file, statement.trim())),
    )

const readStatement = (file: string, statement: string): DeclaredFunction => {
  const { signature, trigger, table } = HEADER.exec(statement)?.groups ?? {}
  const hash = new Bun.CryptoHasher('sha256').update(statement).digest('hex')
  if (signature !== undefined) return { kind: 'function', name: `function ${signature}`, hash, statement }
  if (trigger !== undefined) return { kind: 'trigger', name: `trigger ${trigger} on ${table}`, hash, statement }
  throw new Error(`${file}: expected "create or replace function" or "create or replace trigger" in: ${statement}`)
}

/** Names of the functions and triggers in the schema `public`, without those of extensions. */
export const listExistingFunctions = async (db: Db): Promise<Set<string>> => {
  const rows = await db<{ name: string }[]>`
    select format('function %s(%s)', proname, pg_get_function_arguments(oid)) as name from pg_proc p
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
    union all
    select format('trigger %s on %s', tgname, relname) from pg_trigger t join pg_class c on c.oid = tgrelid
      where relnamespace = 'public'::regnamespace and not tgisinternal`
  return new Set(rows.map(({ name }) => name))
}

/** Hash by name, as installed. Empty before the first installation. */
const readInstalledFunctions = async (db: Db): Promise<Map<string, string>> => {
  const [table] = await db<{ name: string | null }[]>`select to_regclass('drizzle.installed_functions')::text as name`
  if (table?.name === null) return new Map()
  const rows = await db<{ name: string; hash: string }[]>`select name, hash from drizzle.installed_functions`
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

/** The functions that are missing, or whose text differs from the installed one. */
export const listOutdatedFunctions = async (
  db: Db,
  declared: DeclaredFunction[] = listFunctions(),
): Promise<DeclaredFunction[]> => {
  const [existing, installed] = [await listExistingFunctions(db), await readInstalledFunctions(db)]
  return declared.filter(({ name, hash }) => !existing.has(name) || installed.get(name) !== hash)
}

/** Installs the outdated functions. */
export const installFunctions = async (tx: Transaction, declared: DeclaredFunction[]): Promise<void> => {
  for (const { name, hash, statement } of await listOutdatedFunctions(tx, declared)) {
    await tx.unsafe(statement)
    await tx`
      insert into drizzle.installed_functions (name, hash) values (${name}, ${hash})
      on conflict (name) do update set hash = excluded.hash`
  }
}

/** Drops functions that an earlier version installed and this one does not declare. */
export const dropUndeclaredFunctions = async (tx: Transaction, declared: DeclaredFunction[]): Promise<void> => {
  const existing = await listExistingFunctions(tx)
  const names = new Set(declared.map(({ name }) => name))
  const undeclared = [...(await readInstalledFunctions(tx)).keys()].filter((name) => !names.has(name))
  // A function cannot be dropped before its triggers: "trigger" sorts after "function".
  for (const name of undeclared.toSorted().toReversed()) {
    if (existing.has(name)) await tx.unsafe(`drop ${name}`)
    await tx`delete from drizzle.installed_functions where name = ${name}`
  }
}
