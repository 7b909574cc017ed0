const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

const readEntities = (html: string): string =>
  html.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)

/**
 * A text with its matched parts marked. The service's `highlight` is HTML. Only its `<mark>` elements are used; everything else is
 * shown as text, so that an owner's name is never read as HTML.
 */
export const Marked = ({ html, text }: { html: string | undefined; text: string | null }) => {
  if (html === undefined) return text
  return html.split(/<mark>(.*?)<\/mark>/s).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name than their place
    index % 2 === 1 ? <mark key={index}>{readEntities(part)}</mark> : readEntities(part),
  )
}
