import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type { Adapter } from '../../../adapters/adapter'
import { findProblem } from '../../../core/schema/schema-problem'
import { ServiceError } from '../../../core/service-error'
import type { StoredGoldenPage } from '../../../drizzle/queries/sources/source-proofs'
import type { PageSet } from '../pages/page-set'
import type { Vocabulary } from './anonymize'

const object = (description: string, example: object) =>
  Type.Object({}, { additionalProperties: true, description, examples: [example] })
const text = (description: string, example: string) => Type.String({ description, examples: [example] })
const name = (description: string, example: string) => Type.String({ minLength: 1, description, examples: [example] })
const PORTAL = 'https://portal.example.org/parcel/1'

/** A golden page in a file, to be replayed on another machine: `<source>.json`. */
export const goldenFile = Type.Object(
  {
    source: name('The source.', 'sample-county'),
    vendor: name('The vendor whose adapter reads it.', 'gsa-catalis'),
    target: object('What was scraped.', { sourceParcelId: '71-0923-0184' }),
    vendorConfig: object('The settings of the source, without secrets.', {}),
    answeredAt: Type.Array(text('When the portal sent a response.', '2026-11-23T05:00:00.000Z'), {
      description: 'In the order of the responses.',
    }),
    set: Type.Object(
      {
        source: text('The source.', 'sample-county'),
        sourceParcelId: text('The parcel.', '71-0923-0184'),
        answers: Type.Array(
          Type.Object({
            name: text("The adapter's name for the response.", 'property'),
            url: text('The URL after redirects.', PORTAL),
            status: Type.Integer({ description: 'HTTP status.', examples: [200] }),
            headers: Type.Record(Type.String(), Type.String(), {
              description: 'The headers that adapters read.',
              examples: [{ 'content-type': 'text/html' }],
            }),
            body: text('The body of the response.', '<html>…</html>'),
            asked: Type.Object(
              { method: text('HTTP method.', 'GET'), url: text('The URL that was requested.', PORTAL) },
              { description: 'The request that it answered.' },
            ),
          }),
          { description: 'The responses of the portal, in the order of the requests.' },
        ),
      },
      { description: 'What the portal sent.' },
    ),
    read: object('What the adapter reads from the responses.', { fields: {}, scrape: {} }),
  },
  { additionalProperties: false, description: 'A golden page with invented names, addresses and numbers.' },
)

export type GoldenFile = Static<typeof goldenFile> & { set: PageSet }

/** A golden page without names, or the reason why it cannot be shared. */
export type Anonymized = { file: GoldenFile } | { refused: string }

/** Removes names, addresses and numbers from a golden page. The words of `vocabulary` stay. */
export type Anonymize = (adapter: Adapter, golden: StoredGoldenPage, vocabulary: Vocabulary) => Promise<Anonymized>

/** Writes a golden page into the folder, and returns the path. */
export const writeGoldenFile = (folder: string, golden: GoldenFile): string => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${golden.source}.json`)
  writeFileSync(file, `${JSON.stringify(golden, null, 2)}\n`)
  return file
}

/**
 * The golden pages in a folder, by name.
 *
 * @throws ServiceError `bad_input` for a folder that cannot be read, or a file that is not a golden page
 */
export const readGoldenFiles = (folder: string): GoldenFile[] =>
  listFiles(folder).map((name) => {
    const place = join(folder, name)
    let value: unknown
    try {
      value = JSON.parse(readFileSync(place, 'utf8'))
    } catch (cause) {
      throw new ServiceError('bad_input', `${place} is not JSON`, { cause })
    }
    const problem = findProblem(goldenFile, value, place)
    if (problem !== null) throw new ServiceError('bad_input', problem)
    return value as GoldenFile
  })

const listFiles = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
  } catch (cause) {
    throw new ServiceError('bad_input', `the folder of golden pages cannot be read: ${folder}`, { cause })
  }
}
