import { type AnyNode, type ChildNode, type Element, isTag } from 'domhandler'
import { serialize } from 'parse5'
import { adapter as treeAdapter } from 'parse5-htmlparser2-tree-adapter'
import type { RawDocument } from '../../adapters/adapter'
import { parseHtml } from '../../adapters/reading/parse-html'

const written = (words: string): string =>
  [words, words.replaceAll('&', '&amp;')].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')

const alone = (words: string) => new RegExp(`(?<=[>"']\\s*)(?:${written(words)})(?=\\s*[<"'])`, 'gi')

/** Whether it stands for itself somewhere, as labels and headings do. */
export const standsAlone = (documents: readonly RawDocument[], words: string): boolean =>
  documents.some(({ body }) => alone(words).test(body))

/** The documents with a label, heading, name or JSON field gone, wherever it stands for itself. */
export const withoutWords = (documents: readonly RawDocument[], words: string): RawDocument[] => {
  const place = standsAlone(documents, words) ? alone(words) : new RegExp(written(words), 'gi')
  return documents.map((document) => ({ ...document, body: document.body.replace(place, '') }))
}

const LINK = /\b((?:href|action|src)=\\?["'])([^"'\\]*)/gi

/** What a portal may write where an address belongs, in place of one that works. */
export const BENT: Readonly<Record<string, (address: string) => string>> = {
  'no address': () => 'http://[',
  'a broken escape in each of its parts': (address) => address.replace(/(?<![:/])\/(?!\/)|=/g, '$&%zz'),
}

/** The document with each address in it bent. */
export const withBentLinks = (document: RawDocument, bend: (address: string) => string): RawDocument => ({
  ...document,
  body: document.body.replace(LINK, (_, start: string, address: string) => start + bend(address)),
})

/** Each way to lose one element of an HTML document, with what it was. Line breaks stay: without one, two lines are one. */
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
