import type { ParcelFieldName } from '../../../core/parcels/fields'
import { ROLL_FIELDS } from '../roll/roll-fields'
import { COLUMN_NAMES, type ColumnRole, isNamed } from './column-names'
import { type ColumnWords, rankWords, readWords } from './column-words'
import { type Expression, formatExpression, type Mapping } from './expression'
import { parseFieldMap } from './field-map'
import { type Fields, PARCEL_FIELDS } from './fields'
import { textOfHtml } from './functions'
import { findPointColumns } from './point-columns'

/** A column of a file, and values of its first rows. */
export interface SampledColumn {
  name: string
  /** Values that are not empty, with repetitions. */
  values: readonly unknown[]
  /** How many rows were read. */
  rows: number
}

/**
 * The map that the names and the values of a file's columns suggest. Fields without a column are left out, and so is `source_parcel_id`
 * if no column can be the id. A column with the name of a field is mapped to that field. Columns with a longitude and a latitude are
 * the parcel's point if the file has no geometry.
 */
export const guessMap = (columns: readonly SampledColumn[], hasGeometry = false): Mapping[] => {
  const guess = new Guess(columns)
  const texts: Partial<Record<ParcelFieldName | 'source_parcel_id', string | null>> = {
    source_parcel_id: guess.id(),
    owner_name: guess.column('owner'),
    owner_names_all: guess.list('owner', 'otherOwner'),
    owner_mailing_address: guess.mailingAddress(),
    situs_address: guess.situsAddress(),
    situs_city: guess.column('situsCity'),
    situs_state: guess.column('situsState'),
    situs_zip: guess.column('situsZip'),
    land_use_class: guess.column('landUse'),
    zoning_code: guess.column('zoningCode'),
    zoning_description: guess.column('zoningDescription'),
    is_agricultural: guess.column('agricultural'),
    acreage: guess.column('acres') ?? guess.acresOfArea() ?? guess.acresOfSquareFeet(),
    assessed_value: guess.total(),
    value_land: guess.value('landValue'),
    value_improvement: guess.value('improvementValue'),
  }
  const first = Object.fromEntries(columns.map(({ name, values }) => [name, values[0]]))
  const [lon, lat] = (hasGeometry ? null : findPointColumns(first)) ?? [null, null]
  const point = lon === null || Object.values(first).some(isWkt) ? {} : { lon: quote(lon), lat: quote(lat) }
  const { lon: ownLon, lat: ownLat, ...own } = findOwn(columns, PARCEL_FIELDS)
  const ownPoint = ownLon === undefined || ownLat === undefined ? {} : { lon: ownLon, lat: ownLat }
  return parse({ ...texts, ...point, ...ownPoint, ...own }, PARCEL_FIELDS)
}

/**
 * The map that the columns of an assessor's roll suggest. `isParcelId` tells whether a value is the id of a parcel. The column with the
 * most ids joins the rows to parcels. If no column has an id, the name decides.
 */
export const guessRollMap = (
  columns: readonly SampledColumn[],
  isParcelId: (value: string) => boolean = () => false,
): Mapping[] => {
  const guess = new Guess(columns)
  const join = guess.join(isParcelId) ?? guess.column('id')
  const texts = {
    account_id: guess.id('account'),
    unit: guess.column('situsUnit'),
    owner_name: guess.column('owner'),
    owner_mailing_address: guess.mailingAddress(),
    situs_address: guess.situsAddress(),
    land_use_class: guess.column('landUse'),
    assessed_value: guess.total(),
    value_land: guess.value('landValue'),
    value_improvement: guess.value('improvementValue'),
  }
  return parse({ ...texts, ...findOwn(columns, ROLL_FIELDS), source_parcel_id: join }, ROLL_FIELDS)
}

/** Columns that have the name of a field. */
const findOwn = (columns: readonly SampledColumn[], fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.keys(fields).flatMap((target) => {
      const own = columns.find(({ name }) => name.trim().toLowerCase() === target)
      return own === undefined ? [] : [[target, quote(own.name)]]
    }),
  )

/** In the order of the fields. */
const parse = (texts: Readonly<Record<string, string | null | undefined>>, fields: Fields): Mapping[] => {
  const found = Object.keys(fields).flatMap((target) => (texts[target] == null ? [] : [[target, texts[target]]]))
  return parseFieldMap(JSON.stringify(Object.fromEntries(found)), fields)
}

const quote = (name: string): string => formatExpression({ kind: 'column', name } satisfies Expression)

const isWkt = (value: unknown): boolean => /^\s*(?:SRID=\d+;\s*)?(?:(?:MULTI)?POLYGON|POINT)\b/i.test(String(value))
// No two parts of the pattern match the same digits, so a long text takes no longer than its characters.
const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || /^[-(]?\$? ?[\d,]*(?:\d|\.\d+)\)?$/.test(String(value).trim())
const isLink = (value: unknown): boolean => /<[a-z][^>]*>/i.test(String(value))
const readLink = (value: unknown): string => textOfHtml(String(value)).trim()
const isTrueOrFalse = (value: unknown): boolean => /^(?:true|false|yes|no|[tfyn01])$/i.test(String(value).trim())
const hasLetters = (value: unknown): boolean => /\p{L}/u.test(String(value))

/** What most values in a column of each role look like. Other roles accept any value. */
const LOOKS: Partial<Record<ColumnRole, (value: unknown) => boolean>> = {
  owner: hasLetters,
  otherOwner: hasLetters,
  mailAddress: hasLetters,
  situsAddress: hasLetters,
  situsStreet: (value) => /[\p{L}\d]/u.test(String(value)),
  situsCity: (value) => /^\p{L}[\p{L} .'’/-]{2,}$/u.test(String(value).trim()),
  mailCity: hasLetters,
  situsState: (value) => /^[\p{L}. ]{2,20}$/u.test(String(value).trim()),
  situsZip: (value) => /^\d{5}/.test(String(value).trim()),
  agricultural: isTrueOrFalse,
  acres: isNumber,
  squareFeet: isNumber,
  assessedValue: isNumber,
  landValue: isNumber,
  improvementValue: isNumber,
}

/** A mailing address that is in one column ends with its ZIP code. */
const endsWithZip = (value: unknown): boolean => /\d{5}(?:-\d{4})?\s*$/.test(String(value))
const areMostly = ({ values }: SampledColumn, test: (value: unknown) => boolean): boolean =>
  values.length > 0 && values.filter(test).length >= values.length / 2
/** All values are equal. Such a column says nothing about a single parcel: it is a code for the file, or was never filled in. */
const isConstant = ({ values }: SampledColumn): boolean => values.length > 1 && new Set(values.map(String)).size === 1

/** For each unit, in lower case without punctuation: the operation that converts an area to acres. */
const ACRES_OF_UNIT: Readonly<Record<string, string>> = {
  a: '',
  ac: '',
  acre: '',
  acres: '',
  s: '/43560',
  sf: '/43560',
  sqft: '/43560',
  sqfeet: '/43560',
  squarefeet: '/43560',
}
const bareUnit = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replace(/[^a-z]/g, '')

class Guess {
  readonly #used = new Set<string>()
  readonly #words = new Map<string, ColumnWords>()
  /** Whether the total is an assessed or a market value. Null: its name does not say it. Undefined: there is no total. */
  #basis: string | null | undefined

  constructor(readonly columns: readonly SampledColumn[]) {}

  /** The column whose values are most often ids of parcels. */
  join(isParcelId: (value: string) => boolean): string | null {
    const counted = this.columns.map((column) => ({
      column,
      ids: column.values.filter((value) => isParcelId(isLink(value) ? readLink(value) : String(value).trim())).length,
    }))
    const found = counted.filter(({ ids }) => ids > 0).sort((one, other) => other.ids - one.ids)[0]
    return found === undefined ? null : this.#use(found.column)
  }

  /** The id: a column whose values are nearly unique, if there is one. */
  id(role: 'id' | 'account' = 'id'): string | null {
    const named = this.#fitting(role, this.#listNamed(role))
    const isUnique = ({ values, rows }: SampledColumn) =>
      values.length >= 0.9 * rows && new Set(values.map(String)).size >= 0.95 * values.length
    const found = named.find(isUnique) ?? named[0] ?? this.#fitting(role, this.#listWorded(role)).find(isUnique)
    if (found !== undefined) return this.#use(found)
    const own = this.columns.find(({ name }) => name === '$id' && !this.#used.has(name))
    return own !== undefined && isUnique(own) ? this.#use(own) : null
  }

  column(role: ColumnRole): string | null {
    const [found] = this.#candidates(role)
    return found === undefined ? null : this.#use(found)
  }

  /** Null if there is only the first. */
  list(first: ColumnRole, second: ColumnRole): string | null {
    const other = this.column(second)
    const name = this.#candidates(first, true)[0]
    return other === null || name === undefined ? null : `join('; ', ${this.#read(name)}, ${other})`
  }

  /** The total of the values. */
  total(): string | null {
    const [found] = this.#candidates('assessedValue')
    if (found === undefined) return null
    this.#basis = this.#basisOf(found)
    return this.#use(found)
  }

  /** The value of the land or the buildings, on the basis of the total if the file has several. PACS splits it into homestead and other: their sum. */
  value(role: 'landValue' | 'improvementValue'): string | null {
    const candidates = this.#candidates(role)
    const found = candidates.find((column) => this.#basisOf(column) === this.#basis) ?? candidates[0]
    if (found !== undefined) return this.#use(found)
    const kind = role === 'landValue' ? 'land' : 'improvement'
    const parts = [['homestead'], ['homestead', 'non']].map((of) =>
      this.columns.find(
        (column) => LOOKS[role]?.(column.values[0] ?? 0) && this.#means(column, [kind, 'value', ...of]),
      ),
    )
    const [own, rest] = parts
    return own === undefined || rest === undefined ? null : `${this.#use(own)}+${this.#use(rest)}`
  }

  mailingAddress(): string | null {
    const [whole] = this.#candidates('mailAddress')
    if (whole !== undefined && areMostly(whole, endsWithZip)) return this.#use(whole)
    const lines = (['mailAddress', 'mailAddress2', 'mailAddress3'] as const).flatMap((role) => this.column(role) ?? [])
    if (lines.length === 0) return null
    const city = this.column('mailCity')
    const state = (['mailState', 'mailZip'] as const).flatMap((role) => this.column(role) ?? [])
    const parts = [
      ...lines,
      ...(city === null ? [] : [city]),
      ...(state.length > 1 ? [`join(' ', ${state.join(', ')})`] : state),
    ]
    return parts.length === 1 ? (parts[0] as string) : `join(', ', ${parts.join(', ')})`
  }

  /** One column, or the house number and the parts of the street. */
  situsAddress(): string | null {
    const whole = this.column('situsAddress')
    if (whole !== null) return whole
    const number = this.column('situsNumber')
    const [before, street, type, after, unit] = (
      ['situsDirection', 'situsStreet', 'situsType', 'situsDirectionAfter', 'situsUnit'] as const
    ).map((role) => this.column(role))
    if (street == null) return null
    const parts = [number, before, street, type, after, unit].filter((part) => part != null)
    return parts.length === 1 ? street : `join(' ', ${parts.join(', ')})`
  }

  /** A column with areas beside one with their units, such as LOT_SIZE and LOT_UNITS. */
  acresOfArea(): string | null {
    for (const units of this.columns) {
      const named = [...new Set(units.values.map(String))]
      const of = [...this.#wordsOf(units).meanings].filter((meaning) => meaning !== 'area')
      if (!of.includes('unit') || named.length === 0 || named.some((unit) => !(bareUnit(unit) in ACRES_OF_UNIT)))
        continue
      const wanted = ['area', ...of.filter((meaning) => meaning !== 'unit')]
      const area = this.columns.find((column) => areMostly(column, isNumber) && this.#means(column, wanted))
      if (area === undefined) continue
      const text = this.#use(area)
      const pairs = named.map(
        (unit) => `${formatExpression({ kind: 'text', value: unit })}, ${text}${ACRES_OF_UNIT[bareUnit(unit)]}`,
      )
      return `choose(${this.#use(units)}, ${pairs.join(', ')})`
    }
    return null
  }

  acresOfSquareFeet(): string | null {
    const column = this.column('squareFeet')
    return column === null ? null : `${column}/43560`
  }

  /** Columns with a name and values of the role: those with a known name, the most specific first, then those whose words fit. */
  #candidates(role: ColumnRole, mayBeUsed = false): SampledColumn[] {
    return this.#fitting(role, [...new Set([...this.#listNamed(role), ...this.#listWorded(role)])], mayBeUsed)
  }

  #listNamed(role: ColumnRole): SampledColumn[] {
    const named = COLUMN_NAMES[role].flatMap((bare) => this.columns.filter(({ name }) => isNamed(name, bare)))
    return [...new Set(named)]
  }

  #listWorded(role: ColumnRole): SampledColumn[] {
    return this.columns
      .flatMap((column) => {
        const rank = rankWords(role, this.#wordsOf(column))
        return rank === null ? [] : [{ column, rank }]
      })
      .sort((one, other) => one.rank - other.rank)
      .map(({ column }) => column)
  }

  /** The columns that are not used and whose values look right. Assessed values and descriptions of land uses are first, empty columns last. */
  #fitting(role: ColumnRole, columns: readonly SampledColumn[], mayBeUsed = false): SampledColumn[] {
    const looks = LOOKS[role] ?? (() => true)
    const last = (column: SampledColumn): number => {
      if (column.values.length === 0) return 3
      if (role === 'assessedValue') return this.#basisOf(column) === 'assessed' ? 0 : 1
      if (role !== 'landUse') return 0
      return isConstant(column) ? 2 : this.#wordsOf(column).meanings.has('desc') ? 0 : 1
    }
    return columns
      .filter(
        ({ name, values }) => (mayBeUsed || !this.#used.has(name)) && values.filter(looks).length >= values.length / 2,
      )
      .sort((one, other) => last(one) - last(other))
  }

  #wordsOf({ name }: SampledColumn): ColumnWords {
    const words = this.#words.get(name) ?? readWords(name)
    this.#words.set(name, words)
    return words
  }

  /** Whether the name of a column means exactly this. */
  #means(column: SampledColumn, wanted: readonly string[]): boolean {
    const { meanings } = this.#wordsOf(column)
    return meanings.size === wanted.length && wanted.every((meaning) => meanings.has(meaning))
  }

  #basisOf(column: SampledColumn): string | null {
    const { meanings } = this.#wordsOf(column)
    return meanings.has('assessed') ? 'assessed' : meanings.has('market') ? 'market' : null
  }

  #use(column: SampledColumn): string {
    this.#used.add(column.name)
    return this.#read(column)
  }

  /** A link counts as its text. */
  #read({ name, values }: SampledColumn): string {
    return values.length > 0 && values.filter(isLink).length >= values.length / 2
      ? `plain(${quote(name)})`
      : quote(name)
  }
}
