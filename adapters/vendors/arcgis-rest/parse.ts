import type { RawDocument, ReadParcel, ScrapeTarget } from '../../adapter'
import { documentNamed } from '../../reading/document-named'
import { textIn } from '../../reading/record-map'
import { asOf, stampOf } from '../../reading/stamp'
import { ScrapeError } from '../../scrape-error'
import type { Config } from './config'
import { readFeatures, readParcel } from './features'
import { readLayer } from './layer'

/** Combines the features of one parcel. */
export const parseFeatures = (documents: readonly RawDocument[], target: ScrapeTarget, config: Config): ReadParcel => {
  const layer = readLayer(documents, config)
  const { features } = readFeatures(documents, config)
  const { parcel_id } = config.columns
  if (features.length === 0) {
    throw new ScrapeError('not_found', `no feature of the layer has the ${parcel_id} "${target.sourceParcelId}"`)
  }
  const { fields, scrape, geom, updatedOn, years } = readParcel(features, config, layer)
  const document = documentNamed(documents, 'features')
  return {
    shownIds: features.map(({ attributes }) => textIn(attributes, parcel_id) ?? ''),
    fields: { ...fields, ...(geom === null ? {} : { geom }) },
    scrape: { ...scrape, ...stampOf(document), ...asOf(document, { layer: layer.editedOn ?? updatedOn, years }) },
  }
}
