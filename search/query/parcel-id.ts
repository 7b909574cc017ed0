import { isOrdinal } from './address'
import { fold, parcelKey } from './text'

/*
 * Parcel ids as people type them: without punctuation, without leading zeros, only the beginning, or with a wrong digit. An id has three
 * spellings. "12-0001-0010" is "1200010010", and without leading zeros "12x1x10" (with the borders of its groups) and "12110".
 */

/** Separates the groups of a spelling, so that it stays one word for Meilisearch. */
const GROUP_BORDER = 'x'
const LEADING_ZEROS = /(?<!\d)0+(?=\d)/g

const splitGroups = (id: string): string[] => fold(id).match(/[\p{L}\p{N}]+/gu) ?? []

/** The spellings of an id: with all its digits, without leading zeros but with borders, and without both. */
export const spellId = (id: string): [whole: string, grouped: string, short: string] => {
  const groups = splitGroups(id)
  const short = groups.map((group) => group.replace(LEADING_ZEROS, ''))
  return [groups.join(''), short.join(GROUP_BORDER), short.join('')]
}

/** Prefix of id words in the index, so that no other word of a query finds them. */
const INDEX_PREFIX = 'pid'

/** A spelling or a group of an id, or the beginning of one, as a word of the index. */
export const indexedId = (spelling: string): string => INDEX_PREFIX + spelling

/** The words of an id in the index: its spellings and its groups. */
export const indexId = (id: string): string =>
  [...new Set([...spellId(id), ...splitGroups(id)])].map(indexedId).join(' ')

/** Labels that people write before an id. */
const LABEL =
  /^\s*(?:m(?:ap)?\s?[/&-]?\s?l(?:ot)?|bbl|apn|ain|pin|pid|ppin|upc|tl(?:id)?|geo\s?id|prop(?:erty)?\s?id|tax\s?(?:lot|id|parcel|map|account)|parcel|account|acct|folio|schedule|lot|map|block|blk)\b(?:\s*(?:id|no|num|number|numbers?)\b)?[\s.:#]*(?=\S*\d)/i
/** "map 12 lot 3", "map 12 block 4 lot 3". */
const LABELS_BETWEEN = /[\s,]+(?:lot|block|blk|parcel|unit|map|tl|tax\s?lot)\b[\s.:#]*(?=\S*\d)/gi

/** "12 lot 3", "1N 1 30CB TL 100": a lot needs no label before the map. */
const LOT_BETWEEN = /[\s,]+(?:lot|tl|tax\s?lot)\b[\s.:#]*(?=\S*\d)/i

/** The id after its labels, or null if the text has no label: "apn: 12-3" is "12-3", "map 12 lot 3" too. */
export const dropIdLabels = (text: string): string | null => {
  const labelled = LABEL.exec(text)
  if (labelled === null && !LOT_BETWEEN.test(text)) return null
  const rest = text.slice(labelled?.[0].length ?? 0).replace(LABELS_BETWEEN, '-')
  return looksLikeId(rest) ? rest : null
}

const MAX_GROUPS = 8

/** Whether a text may be a parcel id: every group has a digit or at most two letters, and one has a digit. */
export const looksLikeId = (text: string): boolean => {
  const groups = splitGroups(text)
  return (
    groups.length > 0 &&
    groups.length <= MAX_GROUPS &&
    groups.some((group) => /\d/.test(group)) &&
    groups.every((group) => (/\d/.test(group) && !isOrdinal(group)) || group.length <= 2) &&
    parcelKey(text).length >= 2
  )
}
