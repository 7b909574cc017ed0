/** The formats that can be read, in the order in which content is compared with them. The first match wins. */
export const FORMAT_NAMES = [
  'shapefile',
  'dbf',
  'geopackage',
  'flatgeobuf',
  'geoparquet',
  'topojson',
  'geojsonl',
  'geojson',
  'ogr',
  'csv',
] as const

export type FormatName = (typeof FORMAT_NAMES)[number]
