/** A part of a text. Show it as text, for example as a child of a React element. */
export interface MarkedPart {
  text: string
  /** Whether it matched the search. */
  isMatch: boolean
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/**
 * The parts of a field of a hit, to show it with its matches without reading it as HTML.
 *
 * @param text the field, for example `hit.owner_name`
 * @param highlight the same field of `hit.highlight` (`highlight=1`). It is HTML, and missing if nothing in the field matched.
 */
export const markedParts = (text: string | null, highlight: string | undefined): MarkedPart[] => {
  if (text === null) return []
  if (highlight === undefined) return [{ text, isMatch: false }]
  return highlight
    .split(/<mark>(.*?)<\/mark>/s)
    .map((html, index) => ({
      text: html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] ?? entity),
      isMatch: index % 2 === 1,
    }))
    .filter((part) => part.text !== '')
}
