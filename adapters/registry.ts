import type { Adapter } from './adapter'
import { arDatascout } from './vendors/ar-datascout/adapter'
import { arcgisRest } from './vendors/arcgis-rest/adapter'
import { aumentumAscendweb } from './vendors/aumentum-ascendweb/adapter'
import { aumentumPublicAccess } from './vendors/aumentum-public-access/adapter'
import { devnetWedge } from './vendors/devnet-wedge/adapter'
import { fixture } from './vendors/fixture/adapter'
import { governmax } from './vendors/governmax/adapter'
import { grantStreetTaxsys } from './vendors/grant-street-taxsys/adapter'
import { gsaCatalis } from './vendors/gsa-catalis/adapter'
import { helionPso } from './vendors/helion-pso/adapter'
import { iowaTreasurers } from './vendors/iowa-treasurers/adapter'
import { megabyteMpts } from './vendors/megabyte-mpts/adapter'
import { neAssessorsTaxesOnline } from './vendors/ne-assessors-taxes-online/adapter'
import { oktaxrolls } from './vendors/oktaxrolls/adapter'
import { pacsPropertyAccess } from './vendors/pacs-property-access/adapter'
import { patriotWebpro } from './vendors/patriot-webpro/adapter'
import { schneiderBeaconQpublic } from './vendors/schneider-beacon-qpublic/adapter'
import { socrataSoda } from './vendors/socrata-soda/adapter'
import { spatialest } from './vendors/spatialest/adapter'
import { taxsifter } from './vendors/taxsifter/adapter'
import { tylerEaglewebAssessor } from './vendors/tyler-eagleweb-assessor/adapter'
import { tylerEaglewebTreasurer } from './vendors/tyler-eagleweb-treasurer/adapter'
import { tylerIasworld } from './vendors/tyler-iasworld/adapter'
import { vanguardIowaAssessors } from './vendors/vanguard-iowa-assessors/adapter'
import { vgsi } from './vendors/vgsi/adapter'

/** The vendors that the service can scrape. */
export const VENDORS: readonly Adapter[] = [
  arcgisRest,
  socrataSoda,
  pacsPropertyAccess,
  tylerIasworld,
  tylerEaglewebAssessor,
  tylerEaglewebTreasurer,
  schneiderBeaconQpublic,
  vgsi,
  patriotWebpro,
  taxsifter,
  aumentumAscendweb,
  helionPso,
  aumentumPublicAccess,
  devnetWedge,
  spatialest,
  governmax,
  gsaCatalis,
  grantStreetTaxsys,
  megabyteMpts,
  iowaTreasurers,
  oktaxrolls,
  neAssessorsTaxesOnline,
  arDatascout,
  vanguardIowaAssessors,
]

/** All vendors, and the adapter for invented pages, for development. */
export const ADAPTERS: readonly Adapter[] = [...VENDORS, fixture]

/** Vendors whose portals publish whole layers. */
export const CRAWLED_VENDORS: readonly string[] = ADAPTERS.flatMap(({ vendor, crawl }) =>
  crawl === undefined ? [] : [vendor],
)

const BY_VENDOR: ReadonlyMap<string, Adapter> = new Map(ADAPTERS.map((adapter) => [adapter.vendor, adapter]))

export const findAdapter = (vendor: string): Adapter | null => BY_VENDOR.get(vendor) ?? null
