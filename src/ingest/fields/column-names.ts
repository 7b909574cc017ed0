/** The role of a column in a county's file: a parcel's field, or a part of one. */
export type ColumnRole =
  | 'id'
  | 'account'
  | 'owner'
  | 'otherOwner'
  | 'mailAddress'
  | 'mailAddress2'
  | 'mailAddress3'
  | 'mailCity'
  | 'mailState'
  | 'mailZip'
  | 'situsAddress'
  | 'situsNumber'
  | 'situsDirection'
  | 'situsStreet'
  | 'situsType'
  | 'situsDirectionAfter'
  | 'situsUnit'
  | 'situsCity'
  | 'situsState'
  | 'situsZip'
  | 'landUse'
  | 'agricultural'
  | 'zoningCode'
  | 'zoningDescription'
  | 'acres'
  | 'squareFeet'
  | 'assessedValue'
  | 'landValue'
  | 'improvementValue'

/**
 * The names that counties give their columns, in lower case without punctuation, the most specific first. They are from public layers,
 * rolls and state schemas (see presets.ts), and from the layers of the portals that `adapters` reads. A description of a land use
 * precedes its code.
 */
const NAMES: Readonly<Record<ColumnRole, string>> = {
  id: `sourceparcelid parcelid parcelidentifier parcelidentificationnumber parcelnumber parcelno parcelnum parcelnbr parcel parcelidno
    parid parno prclid apn apnnumber assessorparcelnumber assessorsparcelnumber ain pin pinnumber pinnum pinno parcelpin gispin pin14 pin10
    pidn pid pidno pidnumber pidnum tlid maptaxlot taxlotid taxlot taxlotnumber taxlotno taxparcelid taxparcel taxparcelnumber taxparcelno
    taxpin taxid taxidnumber taxmapnumber taxmapno taxmapid taxmap tms tmsnumber tmsno tmk span swissblid sbl printkey pamspin bbl geopin folio
    foliono folionumber strap schedule scheduleno schedulenumber upi upc mblu mapblocklot mapblklot maplot mapparid mappar ml propertyid
    propid propertynumber propertyno propno quickrefid altkey countypin statepin nparno stateparcelid stateid parcelkey accountnumber accountno accountid
    acctnumber acctno acctnum acctid account acct locid gisparcelid gislinkid gislink gisid altparcelid altparno`,
  account: `accountid accountnumber accountno accountnum account acctid acctnumber acctno acctnum acct propaccountid taxaccount taxaccountnumber
    taxacct quickrefid propid propertyid propidno prop propertynumber recordid rollnumber rollno altkey`,
  owner: `ownername ownername1 owner1 ownernme1 owner owner1name ownername01 ownnam ownname ownname1 own1 ownernm ownernm1 ownersname
    ownerfullname ownerfull primaryowner primaryownername currentowner currentownername deedholder deedholder1 deededowner deedowner fileasname
    owners ownerslist ownerdesc ownerline1 nameline1 lastfirstname fullname taxpayer taxpayername taxpayer1 taxname billingname name1 name`,
  otherOwner: `owner2 ownername2 ownernme2 owner2name ownname2 own2 ownernm2 secondowner secondaryowner secondaryownername coowner
    coownername addowner additionalowner jointowner ownermore ownerline2 ownerext name2`,
  mailAddress: `ownermailingaddress mailingaddress mailaddress mailadd mailaddr mailaddr1 mailadd1 mailaddress1 mailingaddress1 mailingaddr
    mailingaddr1 mailline1 mail1 owneraddress owneraddress1 owneraddr owneraddr1 ownaddr ownaddr1 ownaddress ownadd ownadd1 ownaddl1 pstladress
    pstladdress postaladdress owneraddressline1 addrline1 staddress taxpayeraddress taxpayeraddr1 taxaddl1 billingaddress`,
  mailAddress2: `mailaddr2 mailadd2 mailaddress2 mailingaddress2 mailingaddr2 mailline2 mail2 owneraddress2 owneraddr2 ownaddr2 ownadd2 ownaddl2
    addrline2 owneraddressline2`,
  mailAddress3: `mailaddr3 mailadd3 mailaddress3 mailingaddress3 mailline3 mail3 owneraddress3 owneraddr3 ownaddr3 ownaddl3 addrline3`,
  mailCity: `mailcity mailingcity mailcityname ownercity ownercityname owncity mcity munit addrcity postalcity taxpayercity mailcitystatezip
    ownercitystatezip mailcsz ownercsz mailcityst citystatezip citystzip citystate`,
  mailState:
    'mailstate mailstate2 mailst mailstat mailingstate ownerstate ownerst ownstate ownst mstate addrstate taxpayerstate',
  mailZip: `mailzip mailzip5 mailzipcode mailingzip mailingzipcode ownerzip ownerzip5 ownerzipcode ownzip ownzipcode ownzipcd mzip addrzip
    taxpayerzip`,
  situsAddress: `situsaddress situsaddr situs situsaddress1 situsaddr1 situsadd situsfulladdress situsfull situslocation situsdisplay siteaddress
    siteaddr siteadress siteadd siteaddress1 siteaddr1 sitelocation propertyaddress propertyaddr propaddress propaddr propaddr1 propadd
    propertylocation proplocation proploc parceladdress parceladdr parceladd physicaladdress physaddress physaddr phyaddress phyaddr
    phyaddr1 locationaddress locationaddr locaddress locaddr streetaddress fullstreetaddress fulladdress fulladdr fulladd addressfull addrfull
    location address addr addressline1`,
  situsNumber: `situsnum situsno situsnumber situshousenumber situshouseno situsstreetnumber houseno housenum housenumber housenbr hseno
    hsenumber streetnumber streetno streetnum stnum stno stnumber strnum addressnumber addrnum addrno adrno adrnum addnum addno addnumber
    anumber saddno locstnbr propstreetnumber propertystreetnumber bldgnum`,
  situsDirection: `situspredir situsstreetprefx situsstreetprefix predir prefixdir streetpredir stpredir predirection streetdirection streetdir
    stdir saddpref adrdir fdpre prefix`,
  situsStreet: `situsstreet situsstreetname streetname strname stname rdname roadname saddstname locstreet propstreet propertystreetname
    adrstr street`,
  situsType: `situsstreettype situsstreetsufix situsstreetsuffix streettype streetsuffix sttype stpostyp strtype stsuffix rdtype saddsttyp
    adrsuf ftype suffix`,
  situsDirectionAfter: 'situspostdir postdir suffixdir streetpostdir stposdir postdirection saddstsuf sufdir fdsuf',
  situsUnit:
    'situsunit situsunitnumber siteunit propertyunit unitno unitnum unitnumber unitid unitinfo sunit locunit subid1 aptno unit apt suite',
  situsCity: `situscity situscityname sitecity propertycity propcity physicalcity phycity scity loccity locationcity citytownname cityname
    cityusps postcomm city ctuname placename municipality municipalityname muniname munname muni town townname township community jurisdiction`,
  situsState: 'situsstate sitestate propertystate propstate sstate locstate state state2 stateabbr stateabbrev st',
  situsZip: `situszip situszip5 situszipcode sitezip sitezipcode propertyzip propertyzipcode propzip phyzip phyzipcd physicalzip szip loczip
    zip zip5 zipcode zipcd postalcode postcode`,
  landUse: `landuseclass landusedescription landusedesc landuse usedescription usedesc usedesc1 use1desc usecodedescription usecodedesc
    parusedesc propertyusedescription propertyusedesc propertyuse propusedesc propuse propertyclassdescription propertyclassdesc propclassdesc
    classdescription classdesc lucdesc dorusedesc landusecode landusecd luc lucode parusecode propertyusecode propertyclass propclass propclas propclasscode
    propertyclasscode classcode classcd class parclass useclass1 usecode usecd statecd propertytype propertytypedesc proptype dorcode dorusecode doruc pauc cat use`,
  agricultural: 'isagricultural',
  zoningCode: `zoningcode zoning zone zonecode zoningcd zonecd zoningclass zoneclass zonedas zoningdistrict zoningdist zonedist zone1 zoning1
    basezone`,
  zoningDescription: 'zoningdescription zoningdesc zonedescription zonedesc zoningname zonename zonetype zoningtype',
  acres: `acreage acres acre gisacres gisacre gisacreage acresgis legalacreage legalacres deedacres deedacreage deededacres acresdeed landacres
    landacre landacreage totalacres totacres totalacreage totalac assdacres assessedacres taxacres taxacreage recordedacres lotsizeacres
    lotacres lotacreage parcelacres parcelacreage sizeacres areaacres effsizeacres calcacres calcacre calcacreage calculatedacres acreagecalc
    acrescalc acrespoly acresparcel polyac shapeacres`,
  squareFeet: `landareasqft landsqft landsf lotsqft lotareasqft lotsizesqft landtotalsqft lndsqfoot lotsquarefeet landsquarefeet parcelsqft
    sqftlot sqftland`,
  assessedValue: `assessedvalue assessedval assessval assessvalue assdvalue assdval totalassessedvalue totalassessedval totassessedval totalassessed
    totassessed totalassessment totalasmt totasmt assessedtotal assessedtot assesstotal asmttotal asdtotal netassessedvalue netassessed assessed
    assessment cntassdvalue totalav totav avsd netvalue totalval totalvalue totval totvalue parval totalappraisedparcelvalue totalappraisedvalue
    totalapprval appraisedvalue appraisedval apprval totappr totalappr apprtotal emvtotal marketvalue marketval mktval totalmarketvalue
    totmktval mrkttotval mkttotval fmv fullmarketval estfmkvalue justvalue jv market rmvtotal totalrmv rmv`,
  landValue: `valueland landvalue landval landvalu lndvalue lndval valland totallandvalue totalappraisedlandvalue assessedland
    assessedlandvalue landassessedvalue assessland landassessed landassessment asmtland asdland landav apprland apprlandvalue appraisedland
    appraisedlandvalue landappr landappraisedvalue landmarketvalue marketland mktland mktlandval mrktlandval landmkt rmvland landrmv emvland`,
  improvementValue: `valueimprovement improvementvalue improvementval improvementsvalue impvalue impval imprvalue imprval imprvtval improvval
    improvvalue assessedimprovement assessedimprovements assessedbuilding assessedbldg buildingvalue buildingval bldgvalue bldgval bldvalue
    bldval valbldg valuebuilding totalbuildingvalue totalappraisedimprovements apprimprovementvalue apprimpr apprbldg appraisedbuilding
    appraisedbuildingvalue imprappr bldgappr marketimprovement mktimprov mktbldval mrktbldval rmvimpr impsrmv rmvimp bldgrmv asmtbldg bldgav emvbldg
    improvements improvement structureval strucval structval bldgassess`,
}

export const COLUMN_NAMES = Object.fromEntries(
  Object.entries(NAMES).map(([role, names]) => [role, names.split(/\s+/)]),
) as unknown as Readonly<Record<ColumnRole, readonly string[]>>

/** A name of a column without case and punctuation: `OWNER_NAME1` → `ownername1`. */
export const bareName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '')

/** The dBASE table of a shapefile cuts the names of columns to this length. */
const MAX_DBF_NAME = 10

/** Whether the file's column has this name, perhaps cut off by a shapefile. `bare` is without case and punctuation. */
export const isNamed = (column: string, bare: string): boolean => {
  const name = bareName(column)
  return name === bare || (column.length === MAX_DBF_NAME && name.length > 7 && bare.startsWith(name))
}
