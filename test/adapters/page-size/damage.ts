import { type AnyNode, type ChildNode, type Element, isTag } from 'domhandler'
import { serialize } from 'parse5'
import { adapter as treeAdapter } from 'parse5-htmlparser2-tree-adapter'
import type { RawDocument } from '../../../adapters/adapter'
import { parseHtml } from '../../../adapters/reading/parse-html'

const written = (words: string): string =>
  [words, words.replaceAll('&', '&amp;')].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')

const alone = (words: string) => new RegExp(`(?<=[>"']\\s*)(?:${written(words)})(?=\\s*[<"'])`, 'gi')

/** Whether these words are a whole text somewhere, as labels and headings are. */
export const standsAlone = (documents: readonly RawDocument[], words: string): boolean =>
  documents.some(({ body }) => alone(words).test(body))

/** The documents without a label, heading, name or JSON field, wherever it is a whole text. */
export const withoutWords = (documents: readonly RawDocument[], words: string): RawDocument[] => {
  const place = standsAlone(documents, words) ? alone(words) : new RegExp(written(words), 'gi')
  return documents.map((document) => ({ ...document, body: document.body.replace(place, '') }))
}

const LINK = /\b((?:href|action|src)=\\?["'])([^"'\\]*)/gi

/** Bad text that a portal may write in place of a URL. */
export const BENT: Readonly<Record<string, (address: string) => string>> = {
  'not a valid address': () => 'http://[',
  'malformed percent-encoding in each part': (address) => address.replace(/(?<![:/])\/(?!\/)|=/g, '$&%zz'),
}

/** The document with every URL in it damaged. */
export const withBentLinks = (document: RawDocument, bend: (address: string) => string): RawDocument => ({
  ...document,
  body: document.body.replace(LINK, (_, start: string, address: string) => start + bend(address)),
})

/** The document without one element, for each of its elements, with a description of it. Line breaks stay: without one, two lines become one. */
export function* withoutEachElement(document: RawDocument): Generator<{ lost: string; document: RawDocument }> {
  const root = parseHtml(document.body, document.name)
  for (const element of elementsOf(root)) {
    if (element.name === 'br') continue
    const siblings = element.parent?.children as ChildNode[]
    const position = siblings.indexOf(element)
    siblings.splice(position, 1)
    const body = serialize(root, { treeAdapter })
    siblings.splice(position, 0, element)
    yield {
      lost: `<${element.name}> ${serialize(element, { treeAdapter }).slice(0, 80)}`,
      document: { ...document, body },
    }
  }
}

const elementsOf = (node: AnyNode): Element[] =>
  'children' in node ? [...(isTag(node) ? [node] : []), ...node.children.flatMap(elementsOf)] : []
