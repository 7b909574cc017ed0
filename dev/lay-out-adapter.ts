import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ScrapeError } from '../adapters/scrape-error'

const TEMPLATE = join(import.meta.dirname, 'adapter-template')
const VENDORS_DIR = join(import.meta.dirname, '../adapters/vendors')

/** @throws ScrapeError `bad_config` */
export const expectVendorSlug = (vendor: string): void => {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(vendor)) return
  const takes = 'use lower case letters, digits, and - between words'
  throw new ScrapeError('bad_config', `${JSON.stringify(vendor)} is not a slug: ${takes}`)
}

/**
 * Copies `adapter-template/` to the vendor's folder and fills in its names.
 *
 * @returns the folder
 * @throws ScrapeError `bad_config` for an invalid slug, or when the folder already exists
 */
export const layOutAdapter = (vendor: string): { folder: string; exportName: string } => {
  expectVendorSlug(vendor)
  const folder = join(VENDORS_DIR, vendor)
  if (existsSync(folder)) throw new ScrapeError('bad_config', `${folder} already exists`)
  const exportName = vendor.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  cpSync(TEMPLATE, folder, { recursive: true })
  for (const name of readdirSync(folder).filter((name) => /\.(ts|md)$/.test(name))) {
    const text = readFileSync(join(folder, name), 'utf8')
    const renamed = text
      .replaceAll("'../../adapters/", "'../../")
      .replaceAll("'../../core/", "'../../../core/")
      .replaceAll('example-vendor', vendor)
      .replaceAll('exampleVendor', exportName)
      .replaceAll('Example Vendor', vendor)
    writeFileSync(join(folder, name), renamed)
  }
  return { folder, exportName }
}
