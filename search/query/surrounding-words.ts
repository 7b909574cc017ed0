/*
 * Words that people write around what they search for: "who owns 12 oak st", "house of ada juniper", "the juniper family". A search
 * also tries the query with these words, because some records contain them ("HOUSE OF PIZZA LLC").
 */
const THINGS = 'propert(?:y|ies)|houses?|homes?|lands?|parcels?|lots?|residences?|address(?:es)?|buildings?|places?'

const BEFORE = new RegExp(
  `^\\s*(?:${[
    'who (?:owns|lives (?:at|in|on)|is the owner of|has)',
    `(?:show(?: me)?|find(?: me)?|search(?: for)?|look up|where is)(?: the)?(?: (?:${THINGS}) (?:of|at|on|for|owned by))?`,
    `(?:the )?(?:${THINGS}|owners?) (?:of|at|on|for|owned by|belonging to)`,
    `what (?:${THINGS}) does`,
    `(?:(?:property|street|situs|site|mailing) )?(?:${THINGS}|situs)(?=\\s*:)`,
    'owned by',
    // No roll has titles, and a title would be taken for a misspelled word.
    '(?:mr|mrs|ms|miss)\\.?(?: (?:and|&) (?:mr|mrs|ms|miss)\\.?)?',
    'owners?',
    'the(?= .* famil(?:y|ies)\\s*$)',
  ].join('|')})[\\s:]+(?=\\S)`,
  'i',
)

const AFTER = new RegExp(`(?<=\\S)(?:['’]s?)?\\s+(?:famil(?:y|ies)|${THINGS}|own|owns)\\s*[?]?\\s*$`, 'i')

/**
 * The text without the surrounding words, or null if there are none or nothing else is left. The last word of a text is complete if
 * words after it are dropped.
 */
export const dropSurroundingWords = (text: string): string | null => {
  const rest = text.replace(BEFORE, '')
  const core = rest.replace(AFTER, ' ')
  return core === text || core.trim().length < 2 ? null : core
}
