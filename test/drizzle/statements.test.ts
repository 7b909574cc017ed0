import { expect, test } from 'bun:test'
import { listFunctions } from '../../drizzle/install-functions'
import { createTestDatabase } from '../support/servers'
import { checkStatements } from './statements/check-statements'
import { listTaggedFiles, readStatements } from './statements/read-statements'

/*
 * To TypeScript, the row type of a statement (db<Row[]>`select ...`) is an assertion. These tests compare it with the database: they
 * read every statement from the code, let the server describe it without running it, and compare the columns.
 */
const { sql } = await createTestDatabase()
const files = listTaggedFiles(['adapters', 'core', 'dev', 'drizzle', 'search', 'src', 'tiles-build'])
const { statements, unread } = await readStatements(files)

/** Reads of `parcels` that do not go through the view `live_parcels`, each with its reason. */
const READS_RETIRED_TOO: Record<string, string[]> = {
  'dev/sample-county/load.ts': ['counts the stored parcels'],
  'drizzle/queries/changes/find-former-parcel.ts': ['one parcel by its id'],
  'drizzle/queries/changes/list-changes.ts': [
    'an owner’s parcels that were retired later',
    'changes of parcels that were retired later',
  ],
  'drizzle/queries/changes/list-former-parcels.ts': ['parcels that were retired later'],
  'drizzle/queries/coverage/count-parcels.ts': ['counts retired parcels apart'],
  'drizzle/queries/coverage/store-empty-sources.ts': ['whether a source has any parcel'],
  'drizzle/queries/jobs/order/enqueue-filtered.ts': [
    'an order: the filter leaves out retired ones, unless it includes them',
    'its count: the same',
  ],
  'drizzle/queries/jobs/run/claim-jobs.ts': ['the parcels of jobs, by id'],
  'drizzle/queries/loads/stage-batch.ts': ['parcels by id, which a load may bring back'],
  'drizzle/queries/loads/undo-changes.ts': ['parcels by id, which an undo may bring back'],
  'drizzle/queries/pages/list-pages.ts': ['parcels by id; the result tells which are retired'],
  'drizzle/queries/exports/list-licenses.ts': ['whether a source has any parcel'],
  'drizzle/queries/parcels/count-candidates.ts': [
    'counts in a box: the filter leaves out retired parcels, unless the count includes them',
    'boundaries on its edge: the same',
    'counts in a circle: the same',
    'boundaries on its edge: the same',
    'counts in a sample: the same',
    'counts up to a limit: the same',
    'whether a filter selects points: the same',
  ],
  'drizzle/queries/parcels/list-candidates.ts': [
    'parcels in a box: the filter leaves out retired ones, unless the list includes them',
    'boxes of parcels: the same',
    'boundaries of parcels, by id',
    'how far parcels are apart, also retired ones',
    'parcels in a circle, and their boundaries: the same filter',
    'one parcel by its id, which may be retired',
    'rows of parcels, by id',
  ],
  'drizzle/queries/parcels/list-parcels.ts': [
    'a page of a list: the filter leaves out retired ones, unless the list includes them',
  ],
  'drizzle/queries/findings/findings.ts': ['findings of one parcel by its id', 'one finding by its id'],
  'drizzle/queries/parcels/parcel-origins.ts': ['one parcel by its id'],
  'drizzle/queries/parcels/parcel-links.ts': ['the parcels that a load retired', 'boundaries of parcels by id'],
  'drizzle/queries/parcels/parcels.ts': ['one parcel by its id', 'parcels by id', 'the record id of one parcel'],
  'drizzle/queries/parcels/read-stored-parcels.ts': ['parcels by id, before they are written'],
  'drizzle/queries/parcels/upsert-parcels.ts': ['parcels by id, before they are written'],
  'drizzle/queries/portfolios/portfolios.ts': [
    'saved parcels, which may be retired since',
    'one parcel by its id, to save it',
  ],
  'drizzle/queries/search/search-by-trigram.ts': [
    'similar parcels: the filter leaves out retired ones, unless the search includes them',
    'parcels by id: the same',
    'parcels by the beginning of their id: the same',
    'parcels by words: the same',
    'parcels by ZIP code: the same',
    'parcels by owner: the same',
    'parcels by the owner of an account: the same',
  ],
  'drizzle/queries/search/search-owner-members.ts': ['the parcels of an owner: the same', 'a page of them: the same'],
  'drizzle/queries/sources/find-scrape-targets.ts': ['parcels by id, to scrape them'],
  'drizzle/queries/tiles/changed-parcels.ts': [
    'boxes of changed parcels: a tile loses a retired one, too',
    'parcels of changes, by id: the filter leaves out retired ones, unless the tiles include them',
  ],
  'drizzle/queries/tiles/parcel-cells.ts': ['counts of what is drawn: the same', 'the same in some cells'],
  'drizzle/queries/tiles/tile-parcels.ts': ['what is drawn: the same'],
  'drizzle/queries/watches/list-matches.ts': ['parcels of changes, by id', 'parcels of changes, by id'],
}

const READS_PARCELS = /\b(?:from|join)\s+(?:only\s+)?(?:public\.)?"?parcels\b/i

/** A problem without its line number, which changes with every edit. */
const withoutLine = (problem: string): string => problem.replace(/:\d+/, '')

/** The conditions of these statements exclude null in nullable columns. */
const NEVER_NULL = [
  'drizzle/queries/alerts/measure-health.ts: "subject"',
  'drizzle/queries/alerts/measure-health.ts: "about"',
  'drizzle/queries/alerts/measure-health.ts: "subject"',
  'drizzle/queries/alerts/measure-health.ts: "about"',
  'drizzle/queries/loads/stored-load.ts: "counts"',
  'drizzle/queries/parcels/parcels.ts: "owner_name"',
  'drizzle/queries/tiles/kept-tiles.ts: "hash"',
  'drizzle/queries/tiles/published-tiles.ts: "hash"',
  'drizzle/queries/tiles/published-tiles.ts: "hash"',
  'drizzle/queries/tiles/requested-tiles.ts: "layer"',
  'drizzle/queries/tuner/vendor-pause.ts: "reason"',
  'drizzle/queries/watches/due-deliveries.ts: "url"',
  'drizzle/queries/watches/due-deliveries.ts: "secret"',
].map((column) => `${column} may be null in the table, and is never null in the row type`)

test('every statement in the code is read, with all alternatives of its conditional parts', () => {
  expect(unread).toEqual([])
  expect(statements.length).toBeGreaterThan(200)
  expect(statements.filter(({ row }) => row !== null).length).toBeGreaterThan(100)
})

test('the database accepts every statement, and its columns are those of its row type', async () => {
  expect((await checkStatements(sql, statements)).map(withoutLine)).toEqual(NEVER_NULL)
})

test('every read of parcels leaves out retired ones, or is listed with its reason', () => {
  const direct = statements.filter(({ texts }) => texts.some(({ text }) => READS_PARCELS.test(text)))
  expect(direct.map(({ place }) => place.replace(/:\d+$/, '')).toSorted()).toEqual(
    Object.entries(READS_RETIRED_TOO)
      .flatMap(([file, reasons]) => reasons.map(() => file))
      .toSorted(),
  )
  const functions = listFunctions().filter(({ statement }) => READS_PARCELS.test(statement))
  // It restores one parcel by its id, also one that was retired later.
  expect(functions.map(({ name }) => name)).toEqual([
    'function parcel_values_to_put_back(parcel uuid, moment timestamp with time zone)',
  ])
})

test('a column that is renamed or made nullable in the database is named, with the files that use it', async () => {
  const { sql: changed } = await createTestDatabase()
  await changed`alter table history_counted rename column up_to to counted_to`
  await changed`alter table vendor_concurrency alter column mode drop not null`
  const problems = new Set((await checkStatements(changed, statements)).map(withoutLine))
  for (const known of NEVER_NULL) problems.delete(known)
  expect([...problems].toSorted()).toEqual([
    'drizzle/queries/jobs/forget-attempts.ts: PostgresError: column "up_to" does not exist',
    'drizzle/queries/tuner/concurrency.ts: "mode" may be null in the table, and is never null in the row type',
    'drizzle/queries/tuner/keep-history.ts: PostgresError: column "up_to" does not exist',
    'drizzle/queries/tuner/keep-history.ts: PostgresError: column h.up_to does not exist',
    'drizzle/queries/tuner/tuner-cycle.ts: "mode" may be null in the table, and is never null in the row type',
  ])
})

/** Copies of files with one thing changed. */
const EDITS: Record<string, (text: string) => string> = {
  'drizzle/queries/people/account-names.ts': (text) => text.replace('select', 'select 1 as extra,'),
  'drizzle/queries/search/search-outbox.ts': (text) => text.replace('seq: string', 'seq: bigint[]'),
  'drizzle/queries/tuner/list-vendor-targets.ts': (text) => text.replace('target_concurrency', 'target'),
  'drizzle/queries/tuner/take-probe.ts': (text) => `${text} export const stray = (db: Db) => db\`and stray\``,
  'drizzle/queries/service/ping.ts': (text) =>
    `${text} export const odd = (db: any) => db<{ n: number }[]>\`select 1 as n\``,
}

test('a changed statement, a changed row type and an unread statement are named, with their files', async () => {
  const edited = await readStatements(Object.keys(EDITS), (file, text) => {
    const edit = Object.entries(EDITS).find(([name]) => file.endsWith(name))?.[1]
    return edit === undefined ? text : edit(text)
  })
  expect((await checkStatements(sql, edited.statements)).map(withoutLine)).toEqual([
    'drizzle/queries/people/account-names.ts: the statement has "extra", the row type does not',
    'drizzle/queries/search/search-outbox.ts: "seq" is string in the statement, and object[] in the row type',
    'drizzle/queries/tuner/list-vendor-targets.ts: PostgresError: column c.target does not exist',
  ])
  expect(edited.unread.map(withoutLine)).toEqual([
    'drizzle/queries/tuner/take-probe.ts: no statement uses this fragment',
    'drizzle/queries/service/ping.ts: db is not a client of the database',
  ])
})
