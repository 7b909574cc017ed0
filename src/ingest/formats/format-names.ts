/** The formats that can be read, in the order in which a content is compared with them: the first that fits is it. */
export const FORMAT_NAMES = [
  'shapefile',
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
