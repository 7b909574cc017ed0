import { writeFileSync } from 'node:fs'
import type { Adapter } from '../../adapters/adapter'
import { ScrapeError } from '../../adapters/scrape-error'
import type { Case, CaseFile } from './case'
import { caseFileOf, listCaseFolders, readCaseFile, toCase } from './list-cases'
import { NoResponse } from './replay'
import { runCase } from './run-case'

export interface Accepted {
  name: string
  file: string
  expect: CaseFile['expect']
}

/**
 * Writes a case's result into its `expect`, for a person to compare with the pages. Covers the cases that have no `expect` yet, and
 * the named cases even if they have one.
 *
 * @throws ScrapeError `bad_config` for a case that does not exist, does not match its schema, or lacks a response
 */
export const acceptCases = async (adapter: Adapter, names: readonly string[]): Promise<Accepted[]> => {
  const folders = listCaseFolders(adapter.vendor)
  const unknown = names.find((name) => !folders.some((folder) => folder.name === name))
  if (unknown !== undefined) throw new ScrapeError('bad_config', `${adapter.vendor} has no case ${unknown}`)
  const accepted: Accepted[] = []
  for (const { name, folder } of folders) {
    const { expect: expected, ...file } = readCaseFile(folder)
    if (expected !== undefined && !names.includes(name)) continue
    const expect = await outcomeOf(adapter, toCase(adapter.vendor, name, folder, { ...file, expect: NOTHING_YET }))
    const { required, derived, ...asked } = file
    writeFileSync(caseFileOf(folder), `${JSON.stringify({ ...asked, expect, required, derived }, null, 2)}\n`)
    accepted.push({ name, file: caseFileOf(folder), expect })
  }
  return accepted
}

const NOTHING_YET: CaseFile['expect'] = { notModified: true }

const outcomeOf = async (adapter: Adapter, one: Case): Promise<CaseFile['expect']> => {
  try {
    return await runCase(adapter, one)
  } catch (error) {
    if (error instanceof NoResponse) {
      throw new ScrapeError('bad_config', `${one.vendor}, ${one.name}: ${error.message}. Add it to the exchanges.`)
    }
    if (error instanceof ScrapeError) return { refusal: error.code, says: error.message }
    throw error
  }
}
