import type { Document, Element } from 'domhandler'
import { ShortTexts, wordsOf } from '../text'
import type { PageUse } from './page-use'
import { isLabel, looksLikeLabel, type SeenTable, walkLabels } from './walk-labels'

/** The labels and table headings of a page that nothing was read from, in page order. */
export const listUnread = (root: Document, use: PageUse): string[] => {
  const texts = new ShortTexts()
  const unread = new Set<string>()
  const note = (label: Element): void => {
    const text = texts.of(label)
    if (text !== null && looksLikeLabel(text) && !use.hasLabel(wordsOf(text))) unread.add(cut(text))
  }
  const isUnreadValue = (value: Element | undefined): value is Element =>
    value !== undefined && texts.of(value) !== '' && !use.isRead(value)

  const onLabel = (label: Element, next: Element | undefined): void => {
    if (isUnreadValue(next) && !isLabel(next, texts)) note(label)
  }

  const onTable = ({ rows, headings, below }: SeenTable): void => {
    if (headings !== null) {
      for (const [column, heading] of headings.entries()) {
        const values = below.flatMap((cells) => cells[column] ?? [])
        const isFilled = values.some((value) => texts.of(value) !== '')
        if (isFilled && values.every((value) => !use.isRead(value))) note(heading)
      }
      return
    }
    const hasKnownLabel = rows.some((cells) => cells.some((cell) => use.hasLabel(wordsOf(texts.of(cell) ?? ''))))
    for (const cells of rows) {
      for (const [column, label] of cells.entries()) {
        // A plain cell counts as a label only in a table where labels were found. Elsewhere it may be a name.
        const isPaired = hasKnownLabel && cells.length % 2 === 0 && column % 2 === 0
        if ((isPaired || isLabel(label, texts)) && !use.isRead(label)) onLabel(label, cells[column + 1])
      }
    }
  }

  walkLabels(root, texts, { onLabel, onTable })
  return [...unread]
}

const MAX_CHARACTERS = 60

const cut = (text: string): string => text.slice(0, MAX_CHARACTERS)
