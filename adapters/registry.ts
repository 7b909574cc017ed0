import type { Adapter } from './adapter'
import { arDatascout } from './ar-datascout/adapter'
import { arcgisRest } from './arcgis-rest/adapter'
import { aumentumAscendweb } from './aumentum-ascendweb/adapter'
import { aumentumPublicAccess } from './aumentum-public-access/adapter'
import { devnetWedge } from './devnet-wedge/adapter'
import { fixture } from './fixture/adapter'
import { governmax } from './governmax/adapter'
import { grantStreetTaxsys } from './grant-street-taxsys/adapter'
import { gsaCatalis } from './gsa-catalis/adapter'
import { helionPso } from './helion-pso/adapter'
import { iowaTreasurers } from './iowa-treasurers/adapter'
import { megabyteMpts } from './megabyte-mpts/adapter'
import { neAssessorsTaxesOnline } from './ne-assessors-taxes-online/adapter'
import { oktaxrolls } from './oktaxrolls/adapter'
import { pacsPropertyAccess } from './pacs-property-access/adapter'
import { patriotWebpro } from './patriot-webpro/adapter'
import { schneiderBeaconQpublic } from './schneider-beacon-qpublic/adapter'
import { socrataSoda } from './socrata-soda/adapter'
import { spatialest } from './spatialest/adapter'
import { taxsifter } from './taxsifter/adapter'
import { tylerEaglewebAssessor } from './tyler-eagleweb-assessor/adapter'
import { tylerEaglewebTreasurer } from './tyler-eagleweb-treasurer/adapter'
import { tylerIasworld } from './tyler-iasworld/adapter'
import { vanguardIowaAssessors } from './vanguard-iowa-assessors/adapter'
import { vgsi } from './vgsi/adapter'

/** Every adapter that there is, in the order of `VENDORS`; then that of invented pages, for development. */
export const ADAPTERS: readonly Adapter[] = [
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
  fixture,
]

/** Vendors whose portals give whole layers. */
export const CRAWLED_VENDORS: readonly string[] = ADAPTERS.flatMap(({ vendor, crawl }) =>
  crawl === undefined ? [] : [vendor],
)

const BY_VENDOR: ReadonlyMap<string, Adapter> = new Map(ADAPTERS.map((adapter) => [adapter.vendor, adapter]))

export const findAdapter = (vendor: string): Adapter | null => BY_VENDOR.get(vendor) ?? null
