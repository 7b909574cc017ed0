import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { findProblem } from '../../../core/schema-problem'
import { ServiceError } from '../../../core/service-error'
import type { PageSet } from '../pages/page-set'

const object = Type.Object({}, { additionalProperties: true })

/** A golden page in a file, to be replayed on another machine: `<source>.json`. */
const goldenFile = Type.Object(
  {
    source: Type.String({ minLength: 1 }),
    vendor: Type.String({ minLength: 1 }),
    target: object,
    vendorConfig: object,
    answeredAt: Type.Array(Type.String()),
    set: Type.Object({
      source: Type.String(),
      sourceParcelId: Type.String(),
      answers: Type.Array(
        Type.Object({
          name: Type.String(),
          url: Type.String(),
          status: Type.Integer(),
          headers: Type.Record(Type.String(), Type.String()),
          body: Type.String(),
          asked: Type.Object({ method: Type.String(), url: Type.String() }),
        }),
      ),
    }),
    read: object,
  },
  { additionalProperties: false },
)

export type GoldenFile = Static<typeof goldenFile> & { set: PageSet }

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
