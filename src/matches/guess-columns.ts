import { LIST_FIELDS, type ListField } from '../../search/match/list-row'

/** Headers of lists, without case, spaces and punctuation. The first that fits wins. */
const HEADERS: Readonly<Record<ListField, RegExp>> = {
  parcel_id:
    /^(?:sourceparcelid|parcel(?:id|no|num|number|identifier)?|apn|ain|pin|pid|parid|tlid|taxlot(?:id)?|taxid|taxparcel(?:id|number)?|tax(?:map|account)(?:id|number)?|folio(?:number)?|geoid|account(?:id|no|number)?|acct|gispin|parcelapn|propertyid|ml|maplot)$/,
  unit: /^(?:unit|apt|apartment|suite|ste|unit(?:no|num|number)|addr(?:ess)?(?:line)?2|street2)$/,
  city: /(?:^|situs|site|property|prop|mail(?:ing)?|loc(?:ation)?)(?:city|town|municipality|cityname)$/,
  state: /(?:^|situs|site|property|prop|mail(?:ing)?)(?:state|statecode|st|stateabbr|province)$/,
  zip: /(?:^|situs|site|property|prop|mail(?:ing)?)(?:zip|zipcode|zip5|postalcode|postcode|postal)$/,
  county: /^(?:county|countyname)$/,
  source: /^source$/,
  lon: /^(?:lon|lng|long|longitude|x|xcoord|coordx|pointx|centroidlon)$/,
  lat: /^(?:lat|latitude|y|ycoord|coordy|pointy|centroidlat)$/,
  owner:
    /^(?:owner|ownername|owner1|ownername1|ownerfullname|ownersname|ownernm|name|fullname|taxpayer|taxpayername|grantee|deedholder|company|companyname|customer|customername|contact|borrower|insured|lessee)$/,
  address:
    /^(?:(?:situs|site|property|prop|physical|street|full|loc(?:ation)?|service|subject)?(?:address|addr|adr)(?:line)?1?|location|street|streetname|situs|street1|address1)$/,
}

/** A column with the number of a house, if the street is in another one. */
const HOUSE_NUMBER =
  /^(?:no|number|num|(?:house|street|st|situs|site|property|prop|addr(?:ess)?)(?:house|street|st)?(?:no|nbr|num|number))$/
const STREET = /^(?:(?:situs|site|property|prop)?street(?:name)?|streetnm|stname)$/

/** Fields for which a column is guessed, the most specific first. */
const ORDER: readonly ListField[] = [
  'parcel_id',
  'unit',
  'city',
  'state',
  'zip',
  'county',
  'source',
  'lon',
  'lat',
  'address',
  'owner',
]

const bareHeader = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '')

/** If a list has both, use the columns of the property and not those of a mailing address. */
const isMailing = (bare: string): boolean =>
  /^(?:mail|owner(?:addr|city|state|zip)|tax(?:payer)?(?:addr|city))/.test(bare)

/**
 * The most likely field of each column, by column name. Each field is used at most once, but an address can be two columns: a house number
 * and a street. Other columns are left out.
 */
export const guessColumns = (columns: readonly string[]): Map<string, ListField> => {
  const guessed = new Map<string, ListField>()
  const exact = columns.filter((name) => (LIST_FIELDS as readonly string[]).includes(name.trim().toLowerCase()))
  for (const name of exact) guessed.set(name, name.trim().toLowerCase() as ListField)
  const property = columns.filter((name) => !isMailing(bareHeader(name)))
  for (const field of ORDER) {
    if ([...guessed.values()].includes(field)) continue
    const fits = (name: string) => !guessed.has(name) && HEADERS[field].test(bareHeader(name))
    const column = property.find(fits) ?? columns.find(fits)
    if (column !== undefined) guessed.set(column, field)
  }
  const street = columns.find((name) => guessed.get(name) === 'address' && STREET.test(bareHeader(name)))
  const house = columns.find((name) => !guessed.has(name) && HOUSE_NUMBER.test(bareHeader(name)))
  if (street !== undefined && house !== undefined) guessed.set(house, 'address')
  return guessed
}
