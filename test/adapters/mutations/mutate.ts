import { serialize } from 'parse5'
import { adapter as treeAdapter } from 'parse5-htmlparser2-tree-adapter'
import type { RawDocument, ScrapedParcel } from '../../../adapters/adapter'
import { parseHtml } from '../../../adapters/reading/parse-html'
import { JSON_CHANGES, nodesOf } from './json-changes'
import { TABLE_CHANGES } from './table-changes'
import { TEXT_CHANGES } from './text-changes'
import { elementsOf, type Pick, type Place } from './tree'

/** Changes of the text of a page, before it is parsed. */
const SOURCE_CHANGES = {
  'entities escaped twice': (body: string, pick: Pick) => {
    const entities = [...body.matchAll(/&(?:amp|nbsp|#\d+|quot|lt|gt);/g)]
    const entity = entities[pick(entities.length)]
    if (entity === undefined) return null
    return `${body.slice(0, entity.index)}&amp;${body.slice(entity.index + 1)}`
  },
}

/** Pages and JSON can both be cut off. */
export const CUT_OFF = 'cut off'

const TREE_CHANGES = { ...TEXT_CHANGES, ...TABLE_CHANGES }

export type Mutation =
  | keyof typeof TREE_CHANGES
  | keyof typeof SOURCE_CHANGES
  | keyof typeof JSON_CHANGES
  | typeof CUT_OFF

/** Changes that a portal may make to the structure of a page. None of them changes what the page says. */
export const MUTATIONS: readonly Mutation[] = [
  ...(Object.keys(TREE_CHANGES) as (keyof typeof TREE_CHANGES)[]),
  ...(Object.keys(SOURCE_CHANGES) as (keyof typeof SOURCE_CHANGES)[]),
  ...(Object.keys(JSON_CHANGES) as (keyof typeof JSON_CHANGES)[]),
  CUT_OFF,
]

export interface Mutated {
  documents: RawDocument[]
  /** The words of a text that the page has lost. */
  lost: string[]
}

/** The documents with one change to one of them. Null: there is no place for the change. `result` is what is read from them. */
export const mutate = (
  documents: readonly RawDocument[],
  result: ScrapedParcel,
  mutation: Mutation,
  pick: Pick,
): Mutated | null => {
  const index = pick(documents.length)
  const document = documents[index]
  if (document === undefined) return null
  const lost: string[] = []
  const lose = (text: string) => lost.push(...text.split(/\s+/).map(keyOf))
  const body = changeBody(document, result, mutation, pick, lose)
  return body === null ? null : { documents: documents.with(index, { ...document, body }), lost }
}

const changeBody = (
  { body, headers }: RawDocument,
  result: ScrapedParcel,
  mutation: Mutation,
  pick: Pick,
  lose: (text: string) => void,
) => {
  if (mutation === CUT_OFF) return body.slice(0, pick(body.length))
  const isJson = headers['content-type']?.includes('json') === true
  if (mutation in JSON_CHANGES) {
    if (!isJson) return null
    const response: unknown = JSON.parse(body)
    const change = JSON_CHANGES[mutation as keyof typeof JSON_CHANGES]
    return change(nodesOf(response), pick, lose) ? JSON.stringify(response) : null
  }
  if (isJson) return null
  if (mutation in SOURCE_CHANGES) return SOURCE_CHANGES[mutation as keyof typeof SOURCE_CHANGES](body, pick)
  const root = parseHtml(body, 'mutated')
  const values = new Set(leavesOf(result).map(keyOf))
  const place: Place = {
    elements: elementsOf(root),
    pick,
    isValue: (text) => values.has(keyOf(text)),
    hasValue: (text) => [...values].some((value) => value.length > 3 && keyOf(text).includes(value)),
    lose,
  }
  return TREE_CHANGES[mutation as keyof typeof TREE_CHANGES](place) ? serialize(root, { treeAdapter }) : null
}

/** The texts and numbers in a value, as texts. */
export const leavesOf = (value: unknown): string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)]

/** The letters and digits of a text. */
export const keyOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
