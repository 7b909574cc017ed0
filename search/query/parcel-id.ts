import { isHouseNumber, isOrdinal, isZipCode } from './address'
import { fold, parcelKey } from './text'

/*
 * Parcel ids as people type them: without punctuation, without leading zeros, only the beginning, or with a wrong digit. An id has three
 * spellings. "12-0001-0010" is "1200010010", and without leading zeros "12x1x10" (with the borders of its groups) and "12110".
 */

/** Separates the groups of a spelling, so that it stays one word for Meilisearch. */
const GROUP_BORDER = 'x'
const LEADING_ZEROS = /(?<!\d)0+(?=\d)/g

const splitGroups = (id: string): string[] => fold(id).match(/[\p{L}\p{N}]+/gu) ?? []

/** Some rolls have them in the ids: "MAP 12 LOT 3". */
const LABEL_GROUPS: ReadonlySet<string> = new Set(['map', 'plat', 'block', 'blk', 'lot', 'parcel'])

/** The spellings of an id: with all its digits, without leading zeros and labels but with borders, and without all of these. */
export const spellId = (id: string): [whole: string, grouped: string, short: string] => {
  const groups = splitGroups(id)
  const bare = groups.filter((group) => !LABEL_GROUPS.has(group))
  const short = (bare.length === 0 ? groups : bare).map((group) => group.replace(LEADING_ZEROS, ''))
  return [groups.join(''), short.join(GROUP_BORDER), short.join('')]
}

/** Prefix of id words in the index, so that no other word of a query finds them. */
const INDEX_PREFIX = 'pid'

/** A spelling or a group of an id, or the beginning of one, as a word of the index. */
export const indexedId = (spelling: string): string => INDEX_PREFIX + spelling

/** The words of an id in the index: its spellings and its groups. */
export const indexId = (id: string): string =>
  [...new Set([...spellId(id), ...splitGroups(id)])].map(indexedId).join(' ')

/** "no.", "number", "#" after a label. */
const OF_NUMBER = '(?:\\s*(?:ids?|no|num|numbers?)\\b)?[\\s.:#]*(?=(?:[a-z]{3,4}\\s)?\\S*\\d)'
/** A label ends before a digit, too: "TL100". */
const LABEL_END = '(?:\\b|(?=\\d))'

/** Labels that people write before an id. */
const LABEL = new RegExp(
  `^\\s*(?:m(?:ap)?\\s?[/&-]?\\s?l(?:ot)?|bbl|tmk|apn|ain|pin|pid|ppin|upc|tl(?:id)?|geo\\s?id|prop(?:erty)?\\s?id|tax\\s?(?:lot|id|parcel|map|account)|parcel|account|acct|folio|schedule|lot|(?:assessor['’]?s?['’]?\\s)?(?:map|plat)|block|blk)${LABEL_END}${OF_NUMBER}`,
  'i',
)
/** "map 12 lot 3", "map 12 block 4 lot 3". */
const LABELS_BETWEEN = new RegExp(
  `[\\s,;]+(?:lot|block|blk|parcel|unit|map|tl|tax\\s?lot)${LABEL_END}${OF_NUMBER}`,
  'gi',
)

/** The label that is still being typed after "map 12". */
const LAST_LABEL = /(?<=\d)[\s,;]+(?:lot?|blo?c?k?|l|b)\s*$/i

/** "12 lot 3", "1N 1 30CB TL 100": a lot needs no label before the map. */
const LOT_BETWEEN = new RegExp(`[\\s,;]+(?:lot|tl|tax\\s?lot)${LABEL_END}[\\s.:#]*(?=\\S*\\d)`, 'i')

/** "lot 3 map 12", "tax lot 100 of map 1N130CB": the lot before the map. */
const LOT_FIRST = new RegExp(
  `^\\s*(?:lot|parcel|tl|tax\\s?lot)${LABEL_END}${OF_NUMBER}([\\w.-]+)[\\s,;]+(?:(?:of|on|in)\\s+)?(?:the\\s+)?((?:(?:assessor['’]?s?['’]?|tax)\\s)?(?:map|plat)${LABEL_END}.*)$`,
  'is',
)
/** "M12 L3", "m: 12, l: 3". */
const SHORT_LABELS = /^\s*m\s?[.:#]?\s*(\d\w*)[\s,;/-]*l\s?[.:#]?\s*(\d\w*)\s*$/i

/** A word that is an id of several groups or of letters and digits, and not a number, and then words without digits. */
const ID_AND_PLACE = /^\s*(?=\S*\d(?:[-.]\d|[a-z]))([\w.-]+)[\s,]+\D+$/i

/** The id after its labels, or null if the text has no label: "apn: 12-3" is "12-3", "map 12 lot 3" and "lot 3 map 12" too. Words after it, such as a place, are left out. */
export const dropIdLabels = (text: string): string | null => {
  const short = SHORT_LABELS.exec(text)
  if (short !== null) return `${short[1]}-${short[2]}`
  const typed = text.replace(LOT_FIRST, '$2 lot $1')
  const labelled = LABEL.exec(typed)
  if (labelled === null && !LOT_BETWEEN.test(typed)) return null
  const rest = typed
    .slice(labelled?.[0].length ?? 0)
    .replace(LABELS_BETWEEN, '-')
    .replace(LAST_LABEL, '')
  const [, id = ''] = ID_AND_PLACE.exec(rest) ?? []
  return [rest, id].find(looksLikeId) ?? null
}

const MAX_GROUPS = 8

/** "MNFV 2297.872", "VBE 1234567": an id that begins with the letters of a town. "gary 46402" is a city with a ZIP code. */
const BEGINS_WITH_TOWN = /^\s*[a-z]{3,4}[\s-]*(?=\d+[.-]|(?:\D*\d){6})/i

/** Whether a text may be a parcel id: every group has a digit or at most two letters, and one has a digit. The first may be a town. */
export const looksLikeId = (text: string): boolean => {
  const groups = splitGroups(text.replace(BEGINS_WITH_TOWN, ''))
  return (
    groups.length > 0 &&
    groups.length <= MAX_GROUPS &&
    groups.some((group) => /\d/.test(group)) &&
    groups.every((group) => (/\d/.test(group) && !isOrdinal(group)) || group.length <= 2) &&
    parcelKey(text).length >= 2
  )
}

/** Shorter words with digits are more likely house numbers, units and years. */
const MIN_LENGTH_WITHIN = 7
const MAX_IDS_WITHIN = 3

/**
 * The words of a longer text that may be whole ids: "1N130CB00100" in a row that was pasted from a table. A column of such a row may have a
 * shorter id.
 */
export const listIdsWithin = (text: string): string[] => {
  if (!/\d/.test(text)) return []
  const columns = text.split('\t')
  const cells =
    columns.length < 2 ? [] : columns.filter((cell) => /^\s*[\p{L}\p{N}]+(?:[-./][\p{L}\p{N}]+)+\s*$/u.test(cell))
  const words = text.split(/[\s,;|]+/).filter((word) => parcelKey(word).length >= MIN_LENGTH_WITHIN)
  const ids = [...cells, ...words.filter((word) => !isHouseNumber(word))].filter(
    (id) => looksLikeId(id) && !isZipCode(id.trim()),
  )
  return [...new Set(ids.map(parcelKey))].slice(0, MAX_IDS_WITHIN)
}
