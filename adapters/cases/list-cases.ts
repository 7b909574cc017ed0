import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProblem } from '../../src/schema-problem'
import { ScrapeError } from '../scrape-error'
import { type Case, type CaseFile, caseSchema } from './case'

const ADAPTERS_DIR = join(import.meta.dirname, '..')

/**
 * The cases of a vendor: the folders in `adapters/<vendor>/fixtures`, by name.
 *
 * @throws ScrapeError `bad_config` naming the field of a `case.json` that does not fit
 */
export const listCases = (vendor: string): Case[] => {
  const fixtures = join(ADAPTERS_DIR, vendor, 'fixtures')
  return readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readCase(vendor, name, join(fixtures, name)))
    .sort((one, other) => one.name.localeCompare(other.name))
}

const readCase = (vendor: string, name: string, folder: string): Case => {
  const file: CaseFile = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'))
  const problem = findProblem(caseSchema, file, `${vendor}/fixtures/${name}/case.json`)
  if (problem !== null) throw new ScrapeError('bad_config', problem)
  return { ...file, vendor, name, folder }
}
