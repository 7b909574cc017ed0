/*
 * Columns of public parcel data sets with invented rows, and the map that reads them. The columns that a guess could mistake for others,
 * such as last year's values, are part of them.
 */
export interface Schema {
  /** Column → its value in each row. */
  columns: Record<string, readonly unknown[]>
  map: Record<string, string>
}

const owners = ['HOLLIS JUNE', 'FERNWOOD ORCHARDS LLC']
const streets = ['410 N ALDER ST', '420 N ALDER ST']
const boxes = ['PO BOX 7', '12 QUILL RD']
const cities = ['LARKSPUR', 'LARKSPUR']
const zips = ['99901', '99901-1234']
const ids = ['R10001', 'R10002']
const money = [120000, 250500]
const acres = [0.25, 12.5]
const dates = ['2024-05-01', '2019-11-30']
const years = [2026, 2026]
const codes = ['A1', 'D1']
const lines = ['LOT 1 BLK 2', 'LOT 2 BLK 2']

export const COUNTY_SCHEMAS: Record<string, Schema> = {
  'Texas: StratMap land parcels': {
    columns: {
      ...{ OBJECTID: [1, 2], Prop_ID: ['10001', '10002'], GEO_ID: ['0001-001', '0001-002'], OWNER_NAME: owners },
      ...{
        NAME_CARE: ['', 'C/O HOLLIS JUNE'],
        LEGAL_AREA: acres,
        LGL_AREA_UNIT: ['ACRES', 'ACRES'],
        GIS_AREA: [0.26, 12],
      },
      ...{ GIS_AREA_UNIT: ['ACRES', 'ACRES'], LEGAL_DESC: lines, STAT_LAND_USE: codes, LOC_LAND_USE: ['', ''] },
      ...{
        LAND_VALUE: money,
        IMP_VALUE: money,
        MKT_VALUE: [240000, 501000],
        SITUS_ADDR: streets,
        SITUS_NUM: ['410', '420'],
      },
      ...{
        SITUS_STREET_1: ['ALDER ST', 'ALDER ST'],
        SITUS_STREET_2: ['', ''],
        SITUS_CITY: cities,
        SITUS_STAT: ['TX', 'TX'],
      },
      ...{
        SITUS_ZIP: zips,
        MAIL_ADDR: ['PO BOX 7, LARKSPUR, TX 99901', '12 QUILL RD, LARKSPUR, TX 99901'],
        MAIL_LINE1: boxes,
      },
      ...{
        MAIL_LINE2: ['', ''],
        MAIL_CITY: cities,
        MAIL_STAT: ['TX', 'TX'],
        MAIL_ZIP: zips,
        SOURCE: ['LARKSPUR CAD', 'LARKSPUR CAD'],
      },
      ...{
        DATE_ACQ: ['20260101', '20260101'],
        FIPS: ['48999', '48999'],
        COUNTY: cities,
        TAX_YEAR: years,
        YEAR_BUILT: ['1990', '2001'],
      },
    },
    map: {
      ...{
        source_parcel_id: 'Prop_ID',
        owner_name: 'OWNER_NAME',
        situs_address: 'SITUS_ADDR',
        situs_city: 'SITUS_CITY',
      },
      ...{
        situs_state: 'SITUS_STAT',
        situs_zip: 'SITUS_ZIP',
        land_use_class: 'STAT_LAND_USE',
        acreage: "choose(LGL_AREA_UNIT, 'ACRES', LEGAL_AREA)",
      },
      ...{ value_land: 'LAND_VALUE', value_improvement: 'IMP_VALUE', assessed_value: 'MKT_VALUE' },
      owner_mailing_address: 'MAIL_ADDR',
    },
  },
  'Texas: PACS, with values of homesteads and others apart': {
    columns: {
      ...{
        prop_id: [10001, 10002],
        geo_id: ['0001-001', '0001-002'],
        prop_val_yr: years,
        py_owner_id: [7, 8],
        file_as_name: owners,
      },
      ...{
        addr_line1: ['', ''],
        addr_line2: boxes,
        addr_line3: ['', ''],
        addr_city: cities,
        addr_state: ['TX', 'TX'],
        addr_zip: zips,
      },
      ...{
        situs_num: ['410', '420'],
        situs_street_prefx: ['N', 'N'],
        situs_street: ['ALDER', 'ALDER'],
        situs_street_sufix: ['ST', 'ST'],
      },
      ...{
        situs_unit: ['', ''],
        situs_city: cities,
        situs_zip: zips,
        legal_desc: lines,
        legal_acreage: acres,
        state_cd: codes,
      },
      ...{
        land_hstd_val: [100000, 0],
        land_non_hstd_val: [0, 90000],
        imprv_hstd_val: [150000, 0],
        imprv_non_hstd_val: [0, 7000],
      },
      ...{
        ag_use_val: [0, 0],
        market: [250000, 97000],
        appraised_val: [250000, 97000],
        ten_percent_cap: [0, 0],
        assessed_val: [240000, 97000],
      },
    },
    map: {
      ...{ source_parcel_id: 'prop_id', owner_name: 'file_as_name', situs_city: 'situs_city', situs_zip: 'situs_zip' },
      owner_mailing_address:
        "join(', ', addr_line1, addr_line2, addr_line3, addr_city, join(' ', addr_state, addr_zip))",
      situs_address: "join(' ', situs_num, situs_street_prefx, situs_street, situs_street_sufix, situs_unit)",
      ...{ land_use_class: 'state_cd', acreage: 'legal_acreage', assessed_value: 'assessed_val' },
      ...{ value_land: 'land_hstd_val+land_non_hstd_val', value_improvement: 'imprv_hstd_val+imprv_non_hstd_val' },
    },
  },
  'Texas: Bexar’s names': {
    columns: {
      ...{
        pacs_prop_id: [10001, 10002],
        prop_val_yr: years,
        geo_id: ['0001-001', '0001-002'],
        owner_name: owners,
        addr_line1: boxes,
      },
      ...{
        addr_line2: ['', ''],
        addr_city: cities,
        addr_state: ['TX', 'TX'],
        addr_zip: zips,
        situs: streets,
        legal_desc: lines,
      },
      ...{
        appraised_val: money,
        exemptions: ['HS', ''],
        state_cd: codes,
        hood_cd: ['57000', '57001'],
        jurisdictions: ['06,08', '06'],
      },
    },
    map: {
      ...{
        source_parcel_id: 'pacs_prop_id',
        owner_name: 'owner_name',
        situs_address: 'situs',
        land_use_class: 'state_cd',
      },
      owner_mailing_address: "join(', ', addr_line1, addr_line2, addr_city, join(' ', addr_state, addr_zip))",
      assessed_value: 'appraised_val',
    },
  },
  'Texas: Collin’s names': {
    columns: {
      ...{
        PROP_ID: [10001, 10002],
        situsConcat: streets,
        ownerName: owners,
        propCategoryCode: codes,
        landSizeAcres: acres,
      },
      ...{
        prevValAppraised: [1, 2],
        currValAppraised: money,
        currValLand: [20000, 30000],
        currValImprv: [90000, 0],
        propYear: years,
      },
    },
    map: {
      ...{
        source_parcel_id: 'PROP_ID',
        owner_name: 'ownerName',
        situs_address: 'situsConcat',
        land_use_class: 'propCategoryCode',
      },
      ...{
        acreage: 'landSizeAcres',
        assessed_value: 'currValAppraised',
        value_land: 'currValLand',
        value_improvement: 'currValImprv',
      },
    },
  },
  'Texas: Harris’s names': {
    columns: {
      ...{
        OBJECTID: [1, 2],
        HCAD_NUM: ['0410001000001', '0410001000002'],
        LOWPARCELID: ['04100', '04100'],
        tax_year: years,
      },
      ...{
        owner_name_1: owners,
        owner_name_2: ['', ''],
        mail_addr_1: boxes,
        mail_addr_2: ['', ''],
        mail_city: cities,
        mail_state: ['TX', 'TX'],
      },
      ...{
        mail_zip: zips,
        site_str_num: [410, 420],
        site_str_pfx: ['N', 'N'],
        site_str_name: ['ALDER', 'ALDER'],
        site_str_sfx: ['ST', 'ST'],
      },
      ...{
        site_city: cities,
        site_zip: zips,
        state_class: codes,
        land_use: ['1001', '4300'],
        Acreage_1: acres,
        land_sqft: [10890, 544500],
      },
      ...{
        land_value: money,
        impr_value: [90000, 0],
        total_appraised_val: [210000, 250500],
        total_market_val: [210000, 260000],
      },
      ...{ prior_total_appraised_val: [1, 2], new_owner_date: dates },
    },
    map: {
      ...{ source_parcel_id: 'HCAD_NUM', owner_name: 'owner_name_1', situs_city: 'site_city', situs_zip: 'site_zip' },
      owner_names_all: "join('; ', owner_name_1, owner_name_2)",
      owner_mailing_address: "join(', ', mail_addr_1, mail_addr_2, mail_city, join(' ', mail_state, mail_zip))",
      situs_address: "join(' ', site_str_num, site_str_pfx, site_str_name, site_str_sfx)",
      ...{
        land_use_class: 'land_use',
        acreage: 'Acreage_1',
        assessed_value: 'total_appraised_val',
        value_land: 'land_value',
      },
      value_improvement: 'impr_value',
    },
  },
  'Texas: Travis’s names': {
    columns: {
      ...{
        PROP_ID: [10001, 10002],
        PID_10: ['01', '02'],
        geo_id: ['0001', '0002'],
        py_owner_name: owners,
        py_address: boxes,
      },
      ...{
        situs_address: streets,
        situs_zip: zips,
        land_type_desc: ['HOMESITE', 'CROP'],
        tcad_acres: acres,
        market_value: money,
      },
      ...{ appraised_val: money, assessed_val: money, deed_date: dates, imprv_homesite_val: [90000, 0] },
    },
    map: {
      ...{
        source_parcel_id: 'PROP_ID',
        owner_name: 'py_owner_name',
        owner_mailing_address: 'py_address',
        situs_zip: 'situs_zip',
      },
      ...{
        situs_address: 'situs_address',
        land_use_class: 'land_type_desc',
        acreage: 'tcad_acres',
        assessed_value: 'assessed_val',
      },
    },
  },
  'Texas: Tarrant’s names in a shapefile': {
    columns: {
      ...{
        TAXPIN: ['1-2-3', '1-2-4'],
        ACCOUNT: ['00010001', '00010002'],
        Owner_Name: owners,
        Owner_Addr: boxes,
        Owner_City: cities,
      },
      ...{
        Owner_Zip: zips,
        Situs_Addr: streets,
        Property_C: codes,
        LegalDescr: lines,
        Land_Value: money,
        Improvemen: [90000, 0],
      },
      ...{
        Total_Valu: [210000, 250500],
        Land_Acres: acres,
        Land_SqFt: [10890, 544500],
        Deed_Date: dates,
        Year_Built: [1990, 2001],
      },
    },
    map: {
      ...{
        source_parcel_id: 'TAXPIN',
        owner_name: 'Owner_Name',
        situs_address: 'Situs_Addr',
        land_use_class: 'Property_C',
      },
      owner_mailing_address: "join(', ', Owner_Addr, Owner_City, Owner_Zip)",
      ...{
        acreage: 'Land_Acres',
        assessed_value: 'Total_Valu',
        value_land: 'Land_Value',
        value_improvement: 'Improvemen',
      },
    },
  },
  'Texas: TrueProdigy': {
    columns: {
      ...{
        pid: [10001, 10002],
        pAccountID: [7, 8],
        pYear: years,
        geoID: ['0001', '0002'],
        name: owners,
        fullSitus: streets,
      },
      ...{
        legalAcreage: acres,
        landValue: money,
        improvementValue: [90000, 0],
        marketValue: money,
        appraisedValue: money,
        deedDt: dates,
      },
      ...{ zoning: ['R-1', 'AG'], latitude: [44.1, 44.2], longitude: [-121.1, -121.2], asCode: codes },
    },
    map: {
      ...{
        source_parcel_id: 'pid',
        owner_name: 'name',
        situs_address: 'fullSitus',
        zoning_code: 'zoning',
        acreage: 'legalAcreage',
      },
      ...{ assessed_value: 'appraisedValue', value_land: 'landValue', value_improvement: 'improvementValue' },
      ...{ lon: 'longitude', lat: 'latitude' },
    },
  },
  'the standard schema of Regrid': {
    columns: {
      ...{
        ogc_fid: [1, 2],
        geoid: ['48999', '48999'],
        parcelnumb: ids,
        parcelnumb_no_formatting: ids,
        state_parcelnumb: ['', ''],
      },
      ...{
        account_number: ['1', '2'],
        tax_id: ['', ''],
        usecode: codes,
        usedesc: ['HOMESITE', 'CROP'],
        zoning: ['R-1', 'AG'],
      },
      ...{
        zoning_description: ['RESIDENTIAL', 'FARM'],
        struct: ['Y', 'N'],
        yearbuilt: [1990, null],
        parvaltype: ['MARKET', 'MARKET'],
      },
      ...{
        improvval: [90000, 0],
        landval: money,
        parval: [210000, 250500],
        agval: [0, 0],
        saleprice: [1, 2],
        saledate: dates,
      },
      ...{
        taxamt: [2000, 3000],
        owntype: ['PERSON', 'COMPANY'],
        owner: owners,
        unmodified_owner: owners,
        mailadd: boxes,
        mail_city: cities,
      },
      ...{
        mail_state2: ['TX', 'TX'],
        mail_zip: zips,
        mail_country: ['US', 'US'],
        address: streets,
        saddno: ['410', '420'],
        scity: cities,
      },
      ...{
        state2: ['TX', 'TX'],
        szip: zips,
        legaldesc: lines,
        lat: ['44.1', '44.2'],
        lon: ['-121.1', '-121.2'],
        gisacre: [0.26, 12.4],
      },
      ...{
        deeded_acres: acres,
        sqft: [10890, 544500],
        ll_gisacre: [0.255, 12.41],
        ll_gissqft: [11107, 540579],
        ll_uuid: ['u1', 'u2'],
      },
    },
    map: {
      ...{
        source_parcel_id: 'parcelnumb',
        owner_name: 'owner',
        situs_address: 'address',
        situs_city: 'scity',
        situs_state: 'state2',
      },
      owner_mailing_address: "join(', ', mailadd, mail_city, join(' ', mail_state2, mail_zip))",
      ...{
        situs_zip: 'szip',
        land_use_class: 'usedesc',
        zoning_code: 'zoning',
        zoning_description: 'zoning_description',
      },
      ...{
        acreage: 'gisacre',
        assessed_value: 'parval',
        value_land: 'landval',
        value_improvement: 'improvval',
        lon: 'lon',
        lat: 'lat',
      },
    },
  },
  'Washington: current parcels': {
    columns: {
      ...{
        FIPS_NR: ['53999', '53999'],
        COUNTY_NM: cities,
        PARCEL_ID_NR: ['999_1', '999_2'],
        ORIG_PARCEL_ID: ['1', '2'],
      },
      ...{
        SITUS_ADDRESS: streets,
        SUB_ADDRESS: ['', ''],
        SITUS_CITY_NM: cities,
        SITUS_ZIP_NR: zips,
        LANDUSE_CD: [11, 83],
      },
      ...{ VALUE_LAND: money, VALUE_BLDG: [90000, 0], DATA_LINK: ['https://larkspur.example/1', ''], FILE_DATE: dates },
    },
    map: {
      ...{
        source_parcel_id: 'PARCEL_ID_NR',
        situs_address: 'SITUS_ADDRESS',
        situs_city: 'SITUS_CITY_NM',
        situs_zip: 'SITUS_ZIP_NR',
      },
      ...{ land_use_class: 'LANDUSE_CD', value_land: 'VALUE_LAND', value_improvement: 'VALUE_BLDG' },
    },
  },
  'Montana: cadastral': {
    columns: {
      ...{
        PARCELID: ['30999', '30998'],
        COUNTYCD: ['99', '99'],
        GISAcres: [0.26, 12.4],
        TaxYear: years,
        PropertyID: [7, 8],
      },
      ...{
        AssessmentCode: ['0001', '0002'],
        AddressLine1: streets,
        AddressLine2: ['', ''],
        CityStateZip: ['LARKSPUR, MT 59999', 'LARKSPUR, MT 59999'],
      },
      ...{
        PropType: ['RR', 'FARM_R'],
        LegalDescriptionShort: lines,
        TotalAcres: acres,
        TotalBuildingValue: [90000, 0],
        TotalLandValue: money,
      },
      ...{
        TotalValue: [210000, 250500],
        OwnerName: owners,
        OwnerAddress1: boxes,
        OwnerAddress2: ['', ''],
        OwnerCity: cities,
      },
      ...{ OwnerState: ['MT', 'MT'], OwnerZipCode: zips, CareOfTaxpayer: ['', ''] },
    },
    map: {
      ...{
        source_parcel_id: 'PARCELID',
        owner_name: 'OwnerName',
        situs_address: 'AddressLine1',
        land_use_class: 'PropType',
      },
      owner_mailing_address: "join(', ', OwnerAddress1, OwnerAddress2, OwnerCity, join(' ', OwnerState, OwnerZipCode))",
      ...{
        acreage: 'GISAcres',
        assessed_value: 'TotalValue',
        value_land: 'TotalLandValue',
        value_improvement: 'TotalBuildingValue',
      },
    },
  },
  'Utah: LIR parcels': {
    columns: {
      ...{
        COUNTY_NAME: cities,
        COUNTY_ID: ['99', '99'],
        ASSESSOR_SRC: ['https://larkspur.example', ''],
        PARCEL_ID: ['1:2', '1:3'],
      },
      ...{
        SERIAL_NUM: ['7', '8'],
        PARCEL_ADD: streets,
        PARCEL_CITY: cities,
        TAXEXEMPT_TYPE: ['NO', 'NO'],
        TAX_DISTRICT: ['1', '1'],
      },
      ...{
        TOTAL_MKT_VALUE: [210000, 250500],
        LAND_MKT_VALUE: money,
        PARCEL_ACRES: acres,
        PROP_CLASS: ['Residential', 'Agricultural'],
      },
      ...{
        PRIMARY_RES: ['Y', 'N'],
        HOUSE_CNT: [1, 0],
        SUBDIV_NAME: ['ALDER PARK', ''],
        BLDG_SQFT: [2000, 0],
        BUILT_YR: [1990, 0],
      },
    },
    map: {
      ...{
        source_parcel_id: 'PARCEL_ID',
        situs_address: 'PARCEL_ADD',
        situs_city: 'PARCEL_CITY',
        land_use_class: 'PROP_CLASS',
      },
      ...{ acreage: 'PARCEL_ACRES', assessed_value: 'TOTAL_MKT_VALUE', value_land: 'LAND_MKT_VALUE' },
    },
  },
  'Connecticut: CAMA and parcels': {
    columns: {
      ...{
        OBJECTID: [1, 2],
        Parcel_ID: ['1-2', '1-3'],
        Town_Name: cities,
        Link: ['99-1', '99-2'],
        PID: [7, 8],
        Location: streets,
      },
      ...{
        Property_City: cities,
        Owner: owners,
        Co_Owner: ['HOLLIS BO', ''],
        Mailing_Address: boxes,
        Mailing_City: cities,
        Mailing_State: ['CT', 'CT'],
      },
      ...{
        Mailing_Zip: zips,
        Assessed_Total: [147000, 175350],
        Assessed_Land: money,
        Assessed_Building: [63000, 0],
        Pre_Yr_Assessed_Total: [1, 2],
      },
      ...{
        Appraised_Land: [1, 2],
        Appraised_Building: [3, 4],
        Valuation_Year: years,
        Sale_Price: [1, 2],
        Sale_Date: dates,
        Zone: ['R-1', 'AG'],
      },
      ...{
        State_Use: ['101', '601'],
        State_Use_Description: ['SINGLE FAMILY', 'FARM'],
        Land_Acres: acres,
        Living_Area: [2000, 0],
      },
    },
    map: {
      ...{
        source_parcel_id: 'Parcel_ID',
        owner_name: 'Owner',
        owner_names_all: "join('; ', Owner, Co_Owner)",
        situs_address: 'Location',
      },
      owner_mailing_address: "join(', ', Mailing_Address, Mailing_City, join(' ', Mailing_State, Mailing_Zip))",
      ...{
        situs_city: 'Property_City',
        land_use_class: 'State_Use_Description',
        zoning_code: 'Zone',
        acreage: 'Land_Acres',
      },
      ...{ assessed_value: 'Assessed_Total', value_land: 'Assessed_Land', value_improvement: 'Assessed_Building' },
    },
  },
  'Ohio: Franklin, in Esri’s local government model': {
    columns: {
      ...{
        OBJECTID: [1, 2],
        PARCELID: ids,
        LOWPARCELID: ids,
        BUILDING: ['', ''],
        UNIT: ['', ''],
        SITEADDRESS: streets,
        OWNERNME1: owners,
      },
      ...{
        OWNERNME2: ['', ''],
        PSTLADDRESS: boxes,
        PSTLCITYSTZIP: ['LARKSPUR OH 49999', 'LARKSPUR OH 49999'],
        CLASSCD: [510, 100],
      },
      ...{
        CLASSDSCRP: ['ONE FAMILY', 'FARM'],
        LNDVALUEBASE: money,
        BLDVALUEBASE: [90000, 0],
        TOTVALUEBASE: [210000, 250500],
        ACRES: acres,
      },
      ...{
        CNTTXBLVAL: [1, 2],
        PRVASSDVAL: [1, 2],
        RESYRBLT: [1990, 0],
        SALEDATE: dates,
        SALEPRICE: [1, 2],
        SCHLTXCD: [1, 2],
      },
    },
    map: {
      ...{ source_parcel_id: 'PARCELID', owner_name: 'OWNERNME1', owner_names_all: "join('; ', OWNERNME1, OWNERNME2)" },
      ...{
        owner_mailing_address: "join(', ', PSTLADDRESS, PSTLCITYSTZIP)",
        situs_address: 'SITEADDRESS',
        land_use_class: 'CLASSDSCRP',
      },
      ...{
        acreage: 'ACRES',
        assessed_value: 'TOTVALUEBASE',
        value_land: 'LNDVALUEBASE',
        value_improvement: 'BLDVALUEBASE',
      },
    },
  },
  'Ohio: Cuyahoga’s names': {
    columns: {
      ...{
        parcelpin: ids,
        parcel_owner: owners,
        par_addr_all: streets,
        par_city: cities,
        par_zip: zips,
        tax_luc: ['5100', '1100'],
      },
      ...{
        tax_luc_description: ['ONE FAMILY', 'FARM'],
        tax_market_land: money,
        tax_market_building: [90000, 0],
        tax_market_total: [210000, 250500],
      },
      ...{
        tax_assess_land: [42000, 87675],
        tax_assess_building: [31500, 0],
        tax_assess_total: [73500, 87675],
        total_acreage: acres,
      },
      ...{ last_transfer_date: dates, last_sales_amount: [1, 2], gross_certified_total: [1, 2] },
    },
    map: {
      ...{
        source_parcel_id: 'parcelpin',
        owner_name: 'parcel_owner',
        situs_address: 'par_addr_all',
        situs_city: 'par_city',
      },
      ...{
        situs_zip: 'par_zip',
        land_use_class: 'tax_luc_description',
        acreage: 'total_acreage',
        assessed_value: 'tax_assess_total',
      },
      ...{ value_land: 'tax_assess_land', value_improvement: 'tax_assess_building' },
    },
  },
  'Colorado: public parcels': {
    columns: {
      ...{
        parcel_id: ids,
        account: ['1', '2'],
        countyName: cities,
        owner: owners,
        ownerAdd: boxes,
        ownAddCty: cities,
        ownAddStt: ['CO', 'CO'],
      },
      ...{
        ownAddZip: zips,
        situsAdd: streets,
        sitAddCty: cities,
        sitAddZip: zips,
        landUseCde: codes,
        landUseDsc: ['HOMESITE', 'CROP'],
      },
      ...{
        zoningCode: ['R-1', 'AG'],
        zoningDesc: ['RESIDENTIAL', 'FARM'],
        landAcres: acres,
        landSqft: [10890, 544500],
        asedValLnd: money,
      },
      ...{
        asedValImp: [90000, 0],
        asedValTot: [210000, 250500],
        apprValTot: [1, 2],
        salePrice: [1, 2],
        saleDate: dates,
      },
    },
    map: {
      ...{
        source_parcel_id: 'parcel_id',
        owner_name: 'owner',
        situs_address: 'situsAdd',
        situs_city: 'sitAddCty',
        situs_zip: 'sitAddZip',
      },
      owner_mailing_address: "join(', ', ownerAdd, ownAddCty, join(' ', ownAddStt, ownAddZip))",
      ...{
        land_use_class: 'landUseDsc',
        zoning_code: 'zoningCode',
        zoning_description: 'zoningDesc',
        acreage: 'landAcres',
      },
      ...{ assessed_value: 'asedValTot', value_land: 'asedValLnd', value_improvement: 'asedValImp' },
    },
  },
  'Colorado: Denver’s names': {
    columns: {
      ...{
        SCHEDNUM: ids,
        MAPNUM: ['1', '1'],
        OWNER_NAME: owners,
        OWNER_ADDRESS_LINE1: boxes,
        OWNER_ADDRESS_LINE2: ['', ''],
      },
      ...{
        OWNER_CITY: cities,
        OWNER_STATE: ['CO', 'CO'],
        OWNER_ZIP: zips,
        SITUS_ADDRESS_LINE1: streets,
        SITUS_ADDRESS_LINE2: ['', ''],
      },
      ...{
        SITUS_CITY: cities,
        SITUS_STATE: ['CO', 'CO'],
        SITUS_ZIP: zips,
        SITUS_ADDR_NBR: ['410', '420'],
        SITUS_STR_NAME: ['ALDER', 'ALDER'],
      },
      ...{
        PROP_CLASS: ['1112', '4117'],
        D_CLASS_CN: ['HOMESITE', 'CROP'],
        LAND_AREA: [10890, 544500],
        ZONE_10: ['R-1', 'AG'],
      },
      ...{
        ASSESSED_LAND_VALUE_LOCAL: money,
        ASSESSED_BLDG_VALUE_LOCAL: [90000, 0],
        ASSESSED_TOTAL_VALUE_LOCAL: [210000, 250500],
      },
      ...{
        APPRAISED_LAND_VALUE: [1, 2],
        APPRAISED_TOTAL_VALUE: [3, 4],
        SALE_PRICE: [1, 2],
        RES_ORIG_YEAR_BUILT: [1990, 0],
      },
    },
    map: {
      ...{
        source_parcel_id: 'SCHEDNUM',
        owner_name: 'OWNER_NAME',
        situs_address: 'SITUS_ADDRESS_LINE1',
        situs_city: 'SITUS_CITY',
      },
      owner_mailing_address:
        "join(', ', OWNER_ADDRESS_LINE1, OWNER_ADDRESS_LINE2, OWNER_CITY, join(' ', OWNER_STATE, OWNER_ZIP))",
      ...{ situs_state: 'SITUS_STATE', situs_zip: 'SITUS_ZIP', land_use_class: 'PROP_CLASS', zoning_code: 'ZONE_10' },
      ...{ assessed_value: 'ASSESSED_TOTAL_VALUE_LOCAL', value_land: 'ASSESSED_LAND_VALUE_LOCAL' },
      value_improvement: 'ASSESSED_BLDG_VALUE_LOCAL',
    },
  },
  'Maryland: MdProperty View': {
    columns: {
      ...{
        ACCTID: ids,
        OWNNAME1: owners,
        OWNNAME2: ['', ''],
        OWNADD1: boxes,
        OWNADD2: ['', ''],
        OWNCITY: cities,
        OWNSTATE: ['MD', 'MD'],
      },
      ...{
        OWNERZIP: zips,
        ADDRESS: streets,
        STRTNUM: [410, 420],
        STRTNAM: ['ALDER', 'ALDER'],
        CITY: cities,
        ZIPCODE: zips,
        ACRES: acres,
      },
      ...{
        LU: ['R', 'A'],
        DESCLU: ['RESIDENTIAL', 'AGRICULTURAL'],
        ZONING: ['R-1', 'AG'],
        NFMLNDVL: money,
        NFMIMPVL: [90000, 0],
      },
      ...{ NFMTTLVL: [210000, 250500], TRADATE: dates, YEARBLT: [1990, 0] },
    },
    map: {
      ...{
        source_parcel_id: 'ACCTID',
        owner_name: 'OWNNAME1',
        owner_names_all: "join('; ', OWNNAME1, OWNNAME2)",
        situs_address: 'ADDRESS',
      },
      owner_mailing_address: "join(', ', OWNADD1, OWNADD2, OWNCITY, join(' ', OWNSTATE, OWNERZIP))",
      ...{
        situs_city: 'CITY',
        situs_zip: 'ZIPCODE',
        land_use_class: 'DESCLU',
        zoning_code: 'ZONING',
        acreage: 'ACRES',
      },
      ...{ assessed_value: 'NFMTTLVL', value_land: 'NFMLNDVL', value_improvement: 'NFMIMPVL' },
    },
  },
  'Vermont: parcels with the grand list': {
    columns: {
      ...{
        SPAN: ids,
        MAPID: ['1', '2'],
        PROPTYPE: ['PARCEL', 'PARCEL'],
        TOWN: cities,
        OWNER1: owners,
        OWNER2: ['', ''],
        ADDRGL1: boxes,
      },
      ...{
        CITYGL: cities,
        STGL: ['VT', 'VT'],
        ZIPGL: zips,
        E911ADDR: streets,
        DESCPROP: ['DWL', 'FARM'],
        CAT: ['R1', 'F'],
        ACRESGL: acres,
      },
      ...{ REAL_FLV: [210000, 250500], LAND_LV: money, IMPRV_LV: [90000, 0] },
    },
    map: {
      ...{
        source_parcel_id: 'SPAN',
        owner_name: 'OWNER1',
        owner_names_all: "join('; ', OWNER1, OWNER2)",
        situs_address: 'E911ADDR',
      },
      owner_mailing_address: "join(', ', ADDRGL1, CITYGL, join(' ', STGL, ZIPGL))",
      ...{
        situs_city: 'TOWN',
        land_use_class: 'CAT',
        acreage: 'ACRESGL',
        assessed_value: 'REAL_FLV',
        value_land: 'LAND_LV',
      },
      value_improvement: 'IMPRV_LV',
    },
  },
  'Arkansas: cadastre': {
    columns: {
      ...{
        parcelid: ids,
        parcellgl: lines,
        ownername: owners,
        adrlabel: streets,
        adrnum: [410, 420],
        predir: ['N', 'N'],
        pstrnam: ['ALDER', 'ALDER'],
      },
      ...{
        pstrtype: ['ST', 'ST'],
        adrcity: cities,
        adrzip5: zips,
        parceltype: ['RI', 'AV'],
        assessvalue: [42000, 50100],
        impvalue: [90000, 0],
      },
      ...{
        landvalue: money,
        totalvalue: [210000, 250500],
        calcacre: acres,
        county: cities,
        countyfips: ['05999', '05999'],
      },
    },
    map: {
      ...{
        source_parcel_id: 'parcelid',
        owner_name: 'ownername',
        situs_address: 'adrlabel',
        situs_city: 'adrcity',
        situs_zip: 'adrzip5',
      },
      ...{ land_use_class: 'parceltype', acreage: 'calcacre', assessed_value: 'assessvalue', value_land: 'landvalue' },
      value_improvement: 'impvalue',
    },
  },
  'Indiana: parcels': {
    columns: {
      ...{
        OBJECTID: [1, 2],
        parcel_id: ['99-1', '99-2'],
        state_parcel_id: ['99-1', '99-2'],
        prop_add: streets,
        prop_city: cities,
        prop_zip: zips,
      },
      ...{
        dlgf_prop_class_code: ['510', '100'],
        county_fips: ['18999', '18999'],
        tax_code_id: ['1', '1'],
        legal_desc: lines,
      },
    },
    map: {
      ...{ source_parcel_id: 'parcel_id', situs_address: 'prop_add', situs_city: 'prop_city', situs_zip: 'prop_zip' },
      land_use_class: 'dlgf_prop_class_code',
    },
  },
  'California: Los Angeles’s names': {
    columns: {
      ...{
        AIN: ids,
        APN: ids,
        SitusHouseNo: ['410', '420'],
        SitusFraction: ['', ''],
        SitusDirection: ['N', 'N'],
        SitusUnit: ['', ''],
      },
      ...{
        SitusStreet: ['ALDER ST', 'ALDER ST'],
        SitusAddress: streets,
        SitusCity: ['LARKSPUR CA', 'LARKSPUR CA'],
        SitusZIP: zips,
      },
      ...{
        SitusFullAddress: streets,
        UseType: ['Residential', 'Farm'],
        UseDescription: ['Single', 'Crop'],
        Roll_Year: years,
        Roll_LandValue: money,
      },
      ...{
        Roll_ImpValue: [90000, 0],
        Roll_PersPropValue: [0, 0],
        Roll_HomeOwnersExemp: [7000, 0],
        CENTER_LAT: [44.1, 44.2],
        CENTER_LON: [-121.1, -121.2],
      },
    },
    map: {
      ...{ source_parcel_id: 'APN', situs_address: 'SitusAddress', situs_city: 'SitusCity', situs_zip: 'SitusZIP' },
      ...{
        land_use_class: 'UseDescription',
        value_land: 'Roll_LandValue',
        value_improvement: 'Roll_ImpValue',
        lon: 'CENTER_LON',
      },
      lat: 'CENTER_LAT',
    },
  },
  'Georgia: Fulton’s names': {
    columns: {
      ...{
        ParcelID: ids,
        Address: streets,
        AddrNumber: ['410', '420'],
        AddrPreDir: ['N', 'N'],
        AddrStreet: ['ALDER', 'ALDER'],
        Owner: owners,
      },
      ...{
        OwnerAddr1: boxes,
        OwnerAddr2: ['LARKSPUR GA', 'LARKSPUR GA'],
        TaxDist: ['5', '5'],
        TotAssess: [84000, 100200],
      },
      ...{
        LandAssess: [40000, 90000],
        ImprAssess: [44000, 10200],
        TotAppr: [210000, 250500],
        LandAppr: money,
        ImprAppr: [1, 2],
      },
      ...{
        LUCode: ['101', '500'],
        ClassCode: ['R3', 'A5'],
        LivUnits: [1, 0],
        LandAcres: acres,
        Subdiv: ['ALDER PARK', ''],
        SubdivNum: [1, 2],
      },
    },
    map: {
      ...{
        source_parcel_id: 'ParcelID',
        owner_name: 'Owner',
        owner_mailing_address: "join(', ', OwnerAddr1, OwnerAddr2)",
      },
      ...{ situs_address: 'Address', land_use_class: 'LUCode', acreage: 'LandAcres', assessed_value: 'TotAssess' },
      ...{ value_land: 'LandAssess', value_improvement: 'ImprAssess' },
    },
  },
  'Minnesota: Hennepin’s names': {
    columns: {
      ...{
        PID: ids,
        HOUSE_NO: [410, 420],
        FRAC_HOUSE_NO: ['', ''],
        STREET_NM: ['ALDER ST', 'ALDER ST'],
        ZIP_CD: zips,
        MUNIC_CD: ['01', '01'],
      },
      ...{
        MUNIC_NM: cities,
        MAILING_MUNIC_NM: cities,
        OWNER_NM: owners,
        TAXPAYER_NM: owners,
        TAXPAYER_NM_1: boxes,
        MKT_VAL_TOT: [210000, 250500],
      },
      ...{
        LAND_MV1: money,
        BLDG_MV1: [90000, 0],
        SALE_DATE: dates,
        TAX_TOT: [2000, 3000],
        NET_TAX_CAP: [20, 30],
        PARCEL_AREA: [10890, 544500],
      },
    },
    map: {
      ...{
        source_parcel_id: 'PID',
        owner_name: 'OWNER_NM',
        situs_address: "join(' ', HOUSE_NO, STREET_NM)",
        situs_city: 'MUNIC_NM',
      },
      ...{ situs_zip: 'ZIP_CD', assessed_value: 'MKT_VAL_TOT', value_land: 'LAND_MV1', value_improvement: 'BLDG_MV1' },
    },
  },
  'columns that only look like fields': {
    columns: {
      ...{
        PIN: ids,
        OWNER_OCCUPIED: ['Y', 'N'],
        OWN_TYPE: ['PERSON', 'COMPANY'],
        VALUE_YEAR: years,
        LAST_SALE_VALUE: money,
        LAND_SALE_PRICE: money,
      },
      ...{
        ADDRESS_TYPE: ['A', 'B'],
        STREET_LIGHT: ['Y', 'N'],
        PREV_LAND_VALUE: money,
        EXEMPT_VALUE: money,
        BLDG_SQFT: [2000, 0],
        FILE_DATE: dates,
      },
      ...{ ACRES_SOLD: acres, OWNER_ID: ['7', '8'], SITE_ID: ['1', '1'] },
    },
    map: { source_parcel_id: 'PIN' },
  },
}
