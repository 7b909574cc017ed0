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
  const { features, exceededTransferLimit } = readFeatures(documents, config)
  const { parcel_id } = config.columns
  if (features.length === 0) {
    throw new ScrapeError('not_found', `no feature of the layer has the ${parcel_id} "${target.sourceParcelId}"`)
  }
  const { maxRecordCount } = layer
  const isAtLimit = maxRecordCount !== null && maxRecordCount > 1 && features.length >= maxRecordCount
  if (exceededTransferLimit === true || isAtLimit) {
    throw new ScrapeError(
      'too_large',
      `the parcel has more features than the layer returns at a time (${features.length}): the rest of it is not known`,
    )
  }
  const { fields, scrape, geom, updatedOn, years } = readParcel(features, config, layer)
  const document = documentNamed(documents, 'features')
  return {
    shownIds: features.map(({ attributes }) => textIn(attributes, parcel_id) ?? ''),
    fields: { ...fields, ...(geom === null ? {} : { geom }) },
    scrape: { ...scrape, ...stampOf(document), ...asOf(document, { layer: layer.editedOn ?? updatedOn, years }) },
  }
}
