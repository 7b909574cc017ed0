import type { RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { textIn } from '../../reading/record-map'
import { asOf, stampOf } from '../../reading/stamp'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { agesOf, readParcel, readRows } from './rows'

/** Combines the rows of one parcel. */
export const parseRows = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const rows = readRows(documents)
  const { parcel_id } = config.columns
  if (rows.length === 0) {
    throw new ScrapeError('not_found', `no row has the ${parcel_id} "${target.sourceParcelId}"`)
  }
  const shownIds = rows.map((row) => {
    const shown = textIn(row, parcel_id)
    if (shown === undefined) throw new ScrapeError('page_changed', `no "${parcel_id}" in a row`)
    return shown
  })
  const { fields, scrape, geom, ...hints } = readParcel(rows, config)
  const document = documentNamed(documents, 'rows')
  return {
    shownIds,
    fields: { ...fields, ...(geom === null ? {} : { geom }) },
    scrape: {
      ...scrape,
      ...stampOf(document),
      ...asOf(document, agesOf(document, hints)),
    },
  }
}
