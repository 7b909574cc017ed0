/** Portal software that the service can scrape. The slug also names the adapter. */
export interface Vendor {
  slug: string
  product: string
  /** Its pages need a browser. Workers scrape them, never the API process. */
  needsBrowser: boolean
}

const vendor = (slug: string, product: string, needsBrowser = false): Vendor => ({ slug, product, needsBrowser })

export const VENDORS: readonly Vendor[] = [
  vendor('arcgis-rest', 'Esri ArcGIS FeatureServer and MapServer'),
  vendor('socrata-soda', 'Socrata Open Data'),
  vendor('pacs-property-access', 'PACS Property Access'),
  vendor('tyler-iasworld', 'Tyler iasWorld Public Access'),
  vendor('tyler-eagleweb-assessor', 'Tyler EagleWeb, assessor'),
  vendor('tyler-eagleweb-treasurer', 'Tyler EagleWeb, treasurer'),
  vendor('schneider-beacon-qpublic', 'Schneider Beacon and qPublic', true),
  vendor('vgsi', 'Vision Government Solutions'),
  vendor('patriot-webpro', 'Patriot Properties WebPro'),
  vendor('taxsifter', 'TerraScan TaxSifter'),
  vendor('aumentum-ascendweb', 'Aumentum AscendWeb'),
  vendor('helion-pso', 'Helion Property Search Online', true),
  vendor('aumentum-public-access', 'Aumentum Public Access', true),
  vendor('devnet-wedge', 'DEVNET wEdge'),
  vendor('spatialest', 'Spatialest'),
  vendor('governmax', 'GovernMax PropertyMax and CollectMax'),
  vendor('gsa-catalis', 'GSA Corp portal'),
  vendor('grant-street-taxsys', 'Grant Street TaxSys', true),
  vendor('megabyte-mpts', 'Megabyte MPTS'),
  vendor('iowa-treasurers', 'Iowa Treasurers'),
  vendor('oktaxrolls', 'OKTaxRolls'),
  vendor('ne-assessors-taxes-online', 'Nebraska Assessors and Taxes Online'),
  vendor('ar-datascout', 'DataScout ARCountyData'),
  vendor('vanguard-iowa-assessors', 'Vanguard Iowa Assessors'),
]
