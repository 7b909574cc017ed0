import type { FetchContext, Fetched, RawDocument, ScrapeTarget } from '../adapter'
import { expectPage } from '../expect-page'
import { portalUrl } from '../portal-url'
import type { Config } from './config'

/** A page for each mode: `datalet-profileall`. */
export const fetchDatalets = async (target: ScrapeTarget, config: Config, { http }: FetchContext): Promise<Fetched> => {
  const pin = target.overrides.vendorKey ?? toPin(target.sourceParcelId, config)
  const documents: RawDocument[] = []
  for (const mode of config.modes) {
    const query = { mode, UseSearch: 'no', pin, jur: config.jur, taxyr: config.tax_year }
    const url = portalUrl(target.baseUrl, config.datalet_path, query)
    documents.push(expectPage(await http.request({ name: `datalet-${mode}`, url })))
  }
  return { documents }
}

const toPin = (parcelId: string, { pin }: Config): string => {
  if (pin === 'as-is') return parcelId
  // Blanks between the parts of a number are part of it in some counties.
  return pin === 'digits' ? parcelId.replace(/\D/g, '') : parcelId.replaceAll('-', '')
}
