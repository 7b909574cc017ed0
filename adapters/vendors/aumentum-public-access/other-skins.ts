import type { Region } from '../../reading/region'
import { ScrapeError } from '../../scrape-error'

/** Other software of the same brand, recognized by elements that only its pages have. */
const OTHER_SKINS = [
  { name: 'Charleston, SC', has: '#lxT385, #lxT387, #lxT396' },
  { name: 'Riverside, CA', has: '#dnn_ctr413_ContentPane, #dnn_ctr414_ContentPane' },
  { name: "Ohio's auditors", has: '#fldSearchFor, table.ui-corner-all' },
]

/** @throws ScrapeError `page_changed` naming the skin of a page that this adapter does not read */
export const refuseOtherSkins = (page: Region): void => {
  const skin = OTHER_SKINS.find(({ has }) => page.find(has) !== undefined)
  if (skin !== undefined) {
    throw new ScrapeError('page_changed', `the portal has the skin of ${skin.name}, which this adapter does not read`)
  }
}
