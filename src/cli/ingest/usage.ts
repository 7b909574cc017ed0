import { ACCOUNT_FIELD_NAMES } from '../../../core/parcels/accounts'
import { ENTITY_FIELDS, PARCEL_FIELDS } from '../../ingest/fields/fields'
import { FUNCTIONS } from '../../ingest/fields/functions'
import { PRESET_NAMES } from '../../ingest/fields/presets'
import { FORMAT_NAMES } from '../../ingest/formats/format-names'
import { SUMMABLE_FIELDS } from '../../ingest/reading-options'
import { HELD_CODE } from '../../loads/describe-load'
import { wrapUsage } from '../terminal/wrap-usage'

export const USAGE =
  wrapUsage(`bun run ingest parcels --preview FILE...           show columns, a guessed field map and what would be rejected
bun run ingest parcels --source SLUG FILE...       load files of parcels into a source
bun run ingest roll --source SLUG --preview FILE...
                                                   the same for an assessor's roll, and how many rows and parcels match
bun run ingest roll --source SLUG --join COLUMN FILE...
                                                   load an assessor's roll: many accounts (units) of a parcel
bun run ingest entities --jurisdiction XX FILE...  load files of a state's business registry

FILE is a shapefile, GeoPackage, FlatGeobuf, GeoParquet, GeoJSON, GeoJSON lines, TopoJSON, dBASE table or CSV, also zipped. GDAL, if installed, reads file geodatabases, MapInfo, KML, GML and DXF. FILE can be a URL (https://), or - for standard input.
Several files are one load. Loading them again writes only changed rows. Rows that cannot be loaded are written to a rejects file, with line and reason; the other rows are loaded.
An empty value clears the field of a parcel. A field without a column in FILE keeps its value.
A load of parcels that would change too much is held (exit code ${HELD_CODE}): nothing of it is visible until you apply it with \`bun run loads apply ID\`, or discard it.

  --join COLUMN        roll: the column with the parcel's id, or an expression. PIN=COLUMN is the same: the part before = is only a note for you
  --preview            check FILE and write nothing: its first 10,000 rows, or all rows of a roll. --rows NUMBER or --rows all changes that
  --preset SCHEMA      the field map of a state's schema: ${PRESET_NAMES.join(', ')}. Fields in --map replace those of the preset
  --map FIELD=COLUMN   the column of a field; separate several with commas, or repeat the option. Other fields are read from the columns of the same name. COLUMN may be an expression:
                         acreage=LandAreaSqFt/43560          + - * / and brackets
                         situs_address=HouseNo+' '+Street    + joins texts
                         source_parcel_id=PIN|OLD_PIN        the second column if the first is empty
                         owner_name="Owner Name"             a column name with spaces
                         situs_state='OR'                    the same for every row
                         source_parcel_id=$id                the id of a GeoJSON Feature
                       or a function:
${Object.values(FUNCTIONS)
  .map(({ usage, does }) => `                         ${usage.padEnd(38)}${does}`)
  .join('\n')}
  --map FILE           the same in a file: one per line, a JSON object, or a .ts or .js file that exports the object map, in which a field can also be a function of the row: (row) => row.PIN.slice(2). --map-file FILE is the same
  --format FORMAT      ${FORMAT_NAMES.join(', ')}; default: by the content of FILE
  --encoding NAME      the file's text encoding; default: what FILE declares (the .cpg or .dbf of a shapefile), or by its content (UTF-8, UTF-16 or Windows-1252)
  --rejects FILE       the file for rejected rows; default: FILE's name with .rejects.csv, in this folder
  --duplicates WAY     rows with the same id: reject (all but the first; the default), number (ID~2, ID~3, in the order of their content), or merge (parts of one parcel). number and merge read FILE twice.
  --sum FIELD,FIELD    with merge: fields that are added up (${SUMMABLE_FIELDS.join(', ')}). Other fields have the first value in FILE
  --broken-geometry W  a row with broken geometry: reject (the default), or leave-out (load it without geometry)
  --boundary COLUMN    the column with the boundaries of a CSV or of JSON objects, as WKT or GeoJSON; default: the one that has polygons
  --crs EPSG:CODE      the coordinate system, if FILE names none or a wrong one; EPSG:4326 is longitude and latitude
  --layer NAME         the layer, table or file in an archive, if there are several
  --complete           FILE lists all parcels of the source: parcels that it does not list are retired. A complete roll removes the accounts of parcels that it does not list
  --as-of DATE         the date of the data, such as 2026-01-31
  --state XX --county NAME [--base-url URL]
                       create the source, inactive, if it does not exist and a parcel is loaded. URL is the https URL of the file, for recurring loads

Fields of an account of a roll: ${ACCOUNT_FIELD_NAMES.join(', ')}
Fields of a parcel: ${Object.keys(PARCEL_FIELDS).join(', ')}
Fields of an entity: ${Object.keys(ENTITY_FIELDS).join(', ')}`)
