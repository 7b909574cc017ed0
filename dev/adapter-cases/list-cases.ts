import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ScrapeError } from '../../adapters/scrape-error'
import { findProblem } from '../../core/schema/schema-problem'
import { type Case, type CaseFile, caseSchema } from './case'

const VENDORS_DIR = join(import.meta.dirname, '../../adapters/vendors')

/**
 * The cases of a vendor: the folders in `adapters/vendors/<vendor>/fixtures`, by name.
 *
 * @throws ScrapeError `bad_config` naming the field of a `case.json` that does not match
 */
export const listCases = (vendor: string): Case[] =>
  listCaseFolders(vendor).map(({ name, folder }) => toCase(vendor, name, folder, readCaseFile(folder)))

export const listCaseFolders = (vendor: string): { name: string; folder: string }[] => {
  const fixtures = join(VENDORS_DIR, vendor, 'fixtures')
  return readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, folder: join(fixtures, name) }))
    .sort((one, other) => one.name.localeCompare(other.name))
}

export const caseFileOf = (folder: string): string => join(folder, 'case.json')

/** Unchecked: the case may be incomplete. */
export const readCaseFile = (folder: string): Partial<CaseFile> => JSON.parse(readFileSync(caseFileOf(folder), 'utf8'))

/** @throws ScrapeError `bad_config` */
export const toCase = (vendor: string, name: string, folder: string, file: Partial<CaseFile>): Case => {
  const problem = findProblem(caseSchema, file, `${vendor}/fixtures/${name}/case.json`)
  if (problem !== null) throw new ScrapeError('bad_config', problem)
  return { ...(file as CaseFile), vendor, name, folder }
}
