import { ServiceError } from '../../../core/service-error'
import { bareName, isNamed } from './column-names'
import type { Expression, Mapping } from './expression'
import { parseFieldMap } from './field-map'
import { PARCEL_FIELDS } from './fields'

export interface Preset {
  /** The name shown to people. */
  title: string
  /** Columns that identify the schema. */
  signs: readonly string[]
  /** For each field, an expression over the columns of the schema. Those that a file does not have are left out. */
  map: Readonly<Record<string, string>>
}

/** Schemas in which states publish the parcels of their counties. */
export const PRESETS = {
  // https://www.mass.gov/info-details/massgis-data-property-tax-parcels (feature class L3_TAXPAR_POLY_ASSESS, table L3_ASSESS)
  'massachusetts-l3': {
    title: 'Massachusetts: Level 3 of the MassGIS parcel standard',
    signs: ['LOC_ID', 'USE_CODE', 'TOTAL_VAL', 'OWNER1'],
    map: {
      source_parcel_id: 'LOC_ID',
      owner_name: 'OWNER1',
      owner_mailing_address: "join(', ', OWN_ADDR, OWN_CITY, join(' ', OWN_STATE, OWN_ZIP))",
      situs_address: 'SITE_ADDR|LOCATION',
      situs_city: 'CITY',
      situs_state: "'MA'",
      situs_zip: 'ZIP',
      land_use_class: 'USE_CODE',
      zoning_code: 'ZONING',
      // LOT_UNITS: A is acres, S is square feet.
      acreage: "choose(LOT_UNITS, 'A', LOT_SIZE, 'S', LOT_SIZE/43560)",
      value_land: 'LAND_VAL',
      value_improvement: 'BLDG_VAL',
      assessed_value: 'TOTAL_VAL',
    },
  },
  // https://gis.ny.gov/parcels (NYS Tax Parcels Public); property classes from 100 to 199 are agricultural (https://www.tax.ny.gov/research/property/assess/manuals/assersmanual.htm)
  'new-york': {
    title: 'New York: NYS Tax Parcels',
    signs: ['SWIS', 'PRINT_KEY', 'PROP_CLASS', 'PRIMARY_OWNER'],
    map: {
      source_parcel_id: 'SWIS_SBL_ID|SWIS_PRINT_KEY_ID',
      owner_name: 'PRIMARY_OWNER',
      owner_names_all: "join('; ', PRIMARY_OWNER, ADD_OWNER)",
      owner_mailing_address: "join(', ', MAIL_ADDR, 'PO BOX '+PO_BOX, MAIL_CITY, join(' ', MAIL_STATE, MAIL_ZIP))",
      situs_address: "PARCEL_ADDR|join(' ', LOC_ST_NBR, LOC_STREET, LOC_UNIT)",
      situs_city: 'CITYTOWN_NAME|MUNI_NAME',
      situs_state: "'NY'",
      situs_zip: 'LOC_ZIP',
      land_use_class: 'PROP_CLASS',
      is_agricultural: "choose(cut(PROP_CLASS, 1, 1), '1', 'true', 'false')",
      acreage: 'ACRES|CALC_ACRES',
      value_land: 'LAND_AV',
      value_improvement: 'TOTAL_AV-LAND_AV',
      assessed_value: 'TOTAL_AV',
    },
  },
  // https://www.nconemap.gov/pages/parcels (North Carolina parcel transformer schema)
  'north-carolina': {
    title: 'North Carolina: NC OneMap parcels',
    signs: ['PARNO', 'OWNNAME', 'SITEADD', 'PARVAL'],
    map: {
      source_parcel_id: 'PARNO|NPARNO',
      owner_name: 'OWNNAME',
      owner_names_all: "join('; ', OWNNAME, OWNNAME2)",
      owner_mailing_address: "join(', ', join(' ', MAILADD, MUNIT), MCITY, join(' ', MSTATE, MZIP))",
      situs_address: "SITEADD|join(' ', SADDNO, SADDPREF, SADDSTNAME, SADDSTTYP, SADDSTSUF, SUNIT)",
      situs_city: 'SCITY',
      situs_state: "'NC'",
      situs_zip: 'SZIP',
      land_use_class: 'PARUSEDESC|PARUSECODE',
      acreage: 'GISACRES',
      value_land: 'LANDVAL',
      value_improvement: 'IMPROVVAL',
      assessed_value: 'PARVAL',
    },
  },
  // https://www.sco.wisc.edu/parcels/data/ (Wisconsin statewide parcel database, searchable format)
  wisconsin: {
    title: 'Wisconsin: statewide parcel map',
    signs: ['PARCELID', 'OWNERNME1', 'SITEADRESS', 'CNTASSDVALUE'],
    map: {
      source_parcel_id: 'PARCELID|TAXPARCELID',
      owner_name: 'OWNERNME1',
      owner_names_all: "join('; ', OWNERNME1, OWNERNME2)",
      owner_mailing_address: 'PSTLADRESS',
      situs_address: 'SITEADRESS',
      situs_city: 'PLACENAME',
      situs_state: "'WI'",
      situs_zip: 'ZIPCODE',
      land_use_class: 'PROPCLASS|AUXCLASS',
      acreage: 'DEEDACRES|GISACRES|ASSDACRES',
      value_land: 'LNDVALUE',
      value_improvement: 'IMPVALUE',
      assessed_value: 'CNTASSDVALUE',
    },
  },
  // https://floridarevenue.com/property/Pages/DataPortal.aspx (user's guide of the NAL file, and the statewide cadastral layer made of it)
  florida: {
    title: 'Florida: Department of Revenue, name, address and legal (NAL) file',
    signs: ['CO_NO', 'PARCEL_ID', 'DOR_UC', 'OWN_NAME', 'JV'],
    map: {
      source_parcel_id: 'PARCEL_ID|PARCELNO',
      owner_name: 'OWN_NAME',
      owner_mailing_address: "join(', ', OWN_ADDR1, OWN_ADDR2, OWN_CITY, join(' ', OWN_STATE, OWN_ZIPCD))",
      situs_address: "join(' ', PHY_ADDR1, PHY_ADDR2)",
      situs_city: 'PHY_CITY',
      situs_state: "'FL'",
      situs_zip: 'PHY_ZIPCD',
      land_use_class: 'DOR_UC',
      acreage: 'LND_SQFOOT/43560',
      value_land: 'LND_VAL',
      assessed_value: 'AV_SD',
    },
  },
  // https://www.mngeo.state.mn.us/committee/standards/parcel_attrib/parcel_attrib.html (Minnesota parcel data standard), and the older MetroGIS regional parcels
  minnesota: {
    title: 'Minnesota: parcel data transfer standard, and MetroGIS regional parcels',
    signs: ['OWNER_NAME', 'OWN_ADD_L1', 'EMV_LAND', 'EMV_TOTAL'],
    map: {
      source_parcel_id: 'COUNTY_PIN|PIN|STATE_PIN',
      owner_name: 'OWNER_NAME',
      owner_names_all: "join('; ', OWNER_NAME, OWNER_MORE)",
      owner_mailing_address: "join(', ', OWN_ADD_L1, OWN_ADD_L2, OWN_ADD_L3, OWN_ADD_L4)",
      situs_address: `join(' ', ANUMBERPRE, ANUMBER, ANUMBERSUF, ST_PRE_MOD, ST_PRE_DIR, ST_PRE_TYP, ST_PRE_SEP, ST_NAME, ST_POS_TYP, ST_POS_DIR, ST_POS_MOD, SUB_TYPE1, SUB_ID1)|join(' ', BLDG_NUM, PREFIX_DIR, PREFIXTYPE, STREETNAME, STREETTYPE, SUFFIX_DIR, UNIT_INFO)`,
      situs_city: 'POSTCOMM|CTU_NAME|CITY_USPS|CITY',
      situs_state: "'MN'",
      situs_zip: 'ZIP',
      land_use_class: 'USECLASS1|USE1_DESC',
      acreage: 'ACRES_POLY|ACRES_DEED',
      value_land: 'EMV_LAND',
      value_improvement: 'EMV_BLDG',
      assessed_value: 'EMV_TOTAL',
    },
  },
  // https://njgin.nj.gov/njgin/edata/parcels/ (Parcels and MOD-IV composite); classes 3A and 3B are farms (N.J.A.C. 18:12-2.2)
  'new-jersey': {
    title: 'New Jersey: parcels and MOD-IV composite',
    signs: ['PAMS_PIN', 'PROP_LOC', 'NET_VALUE'],
    map: {
      source_parcel_id: 'PAMS_PIN|GIS_PIN',
      owner_name: 'OWNER_NAME',
      owner_mailing_address: "join(', ', ST_ADDRESS, join(' ', CITY_STATE, ZIP_CODE))",
      situs_address: 'PROP_LOC',
      situs_city: 'MUN_NAME',
      situs_state: "'NJ'",
      land_use_class: 'PROP_CLASS',
      is_agricultural: "choose(PROP_CLASS, '3A', 'true', '3B', 'true', 'false')",
      acreage: 'CALC_ACRE',
      value_land: 'LAND_VAL',
      value_improvement: 'IMPRVT_VAL',
      assessed_value: 'NET_VALUE',
    },
  },
} as const satisfies Record<string, Preset>

export type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as PresetName[]

/** The preset whose schema a file has, by its columns. Null: none. */
export const findPreset = (columns: readonly string[]): PresetName | null =>
  PRESET_NAMES.find((name) => PRESETS[name].signs.every((sign) => findColumn(columns, sign) !== null)) ?? null

/** The map of a preset with the columns as the file writes them. @throws ServiceError `bad_input`: the file is not in this schema */
export const applyPreset = (name: PresetName, columns: readonly string[]): Mapping[] => {
  const mappings = Object.entries<string>(PRESETS[name].map).flatMap(([target, text]) =>
    parseFieldMap(JSON.stringify({ [target]: text }), PARCEL_FIELDS).flatMap(({ expression }) => {
      const found = withColumns(expression, columns)
      return found === null ? [] : [{ target, expression: found }]
    }),
  )
  if (mappings.some(({ target }) => target === 'source_parcel_id')) return mappings
  throw new ServiceError(
    'bad_input',
    `the file is not in the schema ${name}: it has no column ${PRESETS[name].map.source_parcel_id.replaceAll('|', ' or ')}. It has ${columns.join(', ')}`,
  )
}

const findColumn = (columns: readonly string[], name: string): string | null =>
  columns.find((column) => bareName(column) === bareName(name)) ??
  columns.find((column) => isNamed(column, bareName(name))) ??
  null

/** The expression without columns that the file lacks. Null: nothing is left, or the rest would be a different value. */
const withColumns = (expression: Expression, columns: readonly string[]): Expression | null => {
  switch (expression.kind) {
    case 'column': {
      const name = findColumn(columns, expression.name)
      return name === null ? null : { kind: 'column', name }
    }
    case 'binary': {
      const { operator } = expression
      const left = withColumns(expression.left, columns)
      const right = withColumns(expression.right, columns)
      if (left === null || right === null) return operator === '|' ? (left ?? right) : null
      return { kind: 'binary', operator, left, right }
    }
    case 'call': {
      const args = expression.args.map((argument) => withColumns(argument, columns))
      const known = args.filter((argument) => argument !== null)
      if (expression.name !== 'join') return known.length < args.length ? null : { ...expression, args: known }
      // The separator alone joins nothing.
      return known.length < 2 ? null : { ...expression, args: known }
    }
    default:
      return expression
  }
}
