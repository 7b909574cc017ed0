import { findAdapter } from '../../../adapters/registry'
import { serveReader } from '../../../src/scrape/readers/serve-reader'

/* A program: a reader whose adapters add the address to the owner's name, as one did with a new page of its portal. */

serveReader((vendor) => {
  const adapter = findAdapter(vendor)
  if (adapter === null) return null
  return {
    ...adapter,
    parse: (...page) => {
      const { fields, scrape, shownIds } = adapter.parse(...page)
      const wrong = `${scrape.owner_name} ${fields.situsAddress}`
      return {
        fields: { ...fields, ownerName: wrong, ownerNamesAll: [wrong] },
        scrape: { ...scrape, owner_name: wrong, owners: [{ name: wrong }] },
        shownIds,
      }
    },
  }
})
