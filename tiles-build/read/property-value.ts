import { type FieldType, PARCEL_FIELDS, TILE_FIELDS, type TileFieldName } from '../../core/parcels/fields'

/** The type of a column for map libraries: the variants of a Value in Mapbox Vector Tile 2.1, and of `fields` in TileJSON 3. */
export type PropertyType = 'String' | 'Number' | 'Boolean'

const PROPERTY_TYPES = {
  text: 'String',
  area: 'Number',
  money: 'Number',
  boolean: 'Boolean',
} as const satisfies Partial<Record<FieldType, PropertyType>>

export type TileProperty = 'id' | 'source' | 'source_parcel_id' | TileFieldName

/** The columns of `parcels` that a tile can carry. */
export const TILE_PROPERTIES = {
  id: 'String',
  source: 'String',
  source_parcel_id: 'String',
  ...Object.fromEntries(TILE_FIELDS.map((name) => [name, PROPERTY_TYPES[PARCEL_FIELDS[name].type]])),
} as Readonly<Record<TileProperty, PropertyType>>

const STRING_VALUE = 0x0a
const DOUBLE_VALUE = 0x19
const BOOL_VALUE = 0x38
const TRUE = 't'.charCodeAt(0)
const double = new DataView(new ArrayBuffer(8))

/** The maximum number of bytes of a text as a Value. */
export const mostValueBytes = (textBytes: number): number => textBytes + 10

/** Writes the database's text of a column as a Value message. Returns the position after it. */
export const writeValue = (text: Uint8Array, type: PropertyType, out: Uint8Array, at: number): number => {
  if (type === 'Boolean') {
    out[at] = BOOL_VALUE
    out[at + 1] = text[0] === TRUE ? 1 : 0
    return at + 2
  }
  if (type === 'Number') {
    double.setFloat64(0, Number(String.fromCharCode(...text)), true)
    out[at] = DOUBLE_VALUE
    for (let byte = 0; byte < 8; byte++) out[at + 1 + byte] = double.getUint8(byte)
    return at + 9
  }
  out[at++] = STRING_VALUE
  let left = text.length
  for (; left > 0x7f; left >>>= 7) out[at++] = (left & 0x7f) | 0x80
  out[at++] = left
  out.set(text, at)
  return at + text.length
}
