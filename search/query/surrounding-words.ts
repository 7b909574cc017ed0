import { dropUnits, isHouseNumber, isWholeStreet, isZip } from './address'
import { splitAddress } from './text'

/*
 * Words that people write around what they search for: "who owns 12 oak st", "house of ada juniper", "taxes for 12 oak st". A search
 * also tries the query with these words, because some records contain them ("HOUSE OF PIZZA LLC").
 */
const LOTS = 'lands?|parcels?|lots?'
const PROPERTIES = `(?:vacant )?(?:${LOTS}|propert(?:y|ies)|houses?|homes?|residences?|address(?:es)?|buildings?)`
const THINGS = `(?:${PROPERTIES}|places?)`

/** What people want to know about a parcel. */
const FACTS = [
  'owners?(?: names?)?',
  'estate',
  '(?:(?:property|real estate) )?tax(?:es)?(?: bills?| records?)?',
  '(?:(?:assessed|market|property|home|land) )?values?',
  'assessments?',
  'appraisals?',
  'deeds?',
  'titles?',
  'liens?',
  'mortgages?',
  'zoning',
  'acreage',
  'sales? (?:history|prices?)',
  'prices?',
  'property records?',
  '(?:parcel|tax) (?:numbers?|ids?|maps?)',
  'apn',
].join('|')

/** What follows a label: "owner: juniper", "situs - 12 oak st". */
const LABEL_END = '\\s*[:=]|\\s+[-–—]\\s'

/** A house number and the beginning of a street follow. */
const HOUSE = '(?=\\d+[a-z]?\\s+\\p{L}{2}|\\d+[a-z]?\\s+(?:[nsew]|\\d+(?:st|nd|rd|th))\\b)'

const BEFORE = new RegExp(
  `^\\s*(?:${[
    'who (?:owns|lives (?:at|in|on)|is the owner of|has)',
    `(?:show(?: me)?|find(?: me)?|search(?: for)?|look up|where is|what(?: is|['’]?s)|how (?:much|big|old) (?:is|are))(?: the)?(?: (?:${THINGS}|${FACTS}) (?:of|at|on|for|owned by))?`,
    `(?:the )?(?:${THINGS}|${FACTS}) (?:of|at|on|for|owned by|belonging to)`,
    `(?:(?:a )?list(?: of)?|all)(?: of)?(?: the)? (?:${THINGS}) (?:of|at|on|in|owned by|belonging to)`,
    `what (?:${THINGS}) does`,
    `vacant (?:${LOTS})`,
    `(?:(?:property|street|situs|site|mailing) )?(?:${THINGS}|situs)(?=${LABEL_END})`,
    `(?:${FACTS}|no\\.?|number)(?=\\s+${HOUSE})`,
    'zip(?: ?code)?(?=[\\s:]+\\d{5})',
    `owner name|name(?=${LABEL_END})`,
    '(?:the )?(?:trustees?|heirs?) (?:of|for)(?: the)?(?= .)',
    '(?:c/o|c/|attn\\.?|attention|care of)',
    `(?:near|opposite|next to|across from)(?=\\s+${HOUSE})`,
    "(?:i (?:am|want|need)|i['’]m|please) (?:looking for|to find|find)",
    'owned by',
    // No roll has titles, and a title would be taken for a misspelled word.
    '(?:mr|mrs|ms|miss)\\.?(?: (?:and|&) (?:mr|mrs|ms|miss)\\.?)?',
    'owners?',
    'the(?= .* (?:famil(?:y|ies)|trust)\\s*$)',
  ].join('|')})(?:\\s+[-–—]\\s+|[\\s:=]+)(?=\\S)`,
  'iu',
)
/** What is left of "who owns the house at 12 oak st" after "who owns". */
const BEFORE_HOUSE = new RegExp(`^\\s*(?:the )?(?:${THINGS}|${FACTS}) (?:of|at|on|for)\\s+${HOUSE}`, 'iu')

const AFTER = new RegExp(
  `(?<=\\S)(?:['’]s?)?,?\\s+(?:${[
    'famil(?:y|ies)',
    // "prospect place" is a street.
    PROPERTIES,
    'own|owns',
    // "And others", "and wife", "and husband", which many rolls leave out.
    'et\\.? ?al\\.?|et\\.? ?ux\\.?|et\\.? ?vir\\.?',
    'trustees?',
  ].join('|')})\\s*[?]?\\s*$`,
  'i',
)
const AFTER_HOUSE = new RegExp(`(?<=^\\s*\\d+[a-z]?\\s.*\\S)\\s+(?:${FACTS}|for sale|worth|sold)\\s*[?]?\\s*$`, 'i')

/**
 * The text without the surrounding words, or null if there are none or nothing else is left. The last word of a text is complete if
 * words after it are dropped.
 */
export const dropSurroundingWords = (text: string): string | null => {
  const rest = text.replace(BEFORE, '').replace(BEFORE_HOUSE, '')
  const core = rest.replace(AFTER, ' ').replace(AFTER_HOUSE, ' ')
  return core === text || core.trim().length < 2 ? null : core
}

/** "apt 3 12 oak st", "#3, 12 oak st": the unit before the house number. */
const UNIT_FIRST = new RegExp(
  `^\\s*((?:(?:apt|apartment|unit|suite|ste|room|rm)\\b\\.?\\s*#?|#)\\s*\\w+)[\\s,]+(${HOUSE}.*)$`,
  'isu',
)

/** An address that begins with its unit, with the unit after the street, where rolls have it. Other texts stay. */
export const moveUnitLast = (text: string): string => text.replace(UNIT_FIRST, '$2 $1')

/**
 * A street and its house number, as in Europe ("oak st 12", "oak st se 12 apt 3"), with the number first, where rolls have it. Other texts
 * stay. Five digits are a ZIP code.
 */
export const moveNumberFirst = (text: string): string => {
  const words = splitAddress(text)
  const place = dropUnits(words).length - 1
  const [street, number = '', unit] = [words.slice(0, place), words[place], words.slice(place + 1)]
  const isLast = isHouseNumber(number) && !isZip(number) && isWholeStreet(street)
  return isLast ? `${[number, ...street, ...unit].join(' ')} ` : text
}
