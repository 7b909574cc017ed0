import type { Pick } from './tree'
import { pickOne } from './tree'

/** Changes one place of a JSON response. False: it has no such place. */
type Change = (nodes: object[], pick: Pick, lose: (text: string) => void) => boolean

/** Changes that a portal may make to the structure of its JSON. */
export const JSON_CHANGES = {
  'a field less': (nodes, pick, lose) => {
    const record = pickOne(nodes.filter(isRecord), pick)
    const name = record && pickOne(Object.keys(record), pick)
    if (!record || !name) return false
    lose(String(record[name]))
    delete record[name]
    return true
  },
  'an empty field': (nodes, pick, lose) => {
    const record = pickOne(nodes.filter(isRecord), pick)
    const name = record && pickOne(Object.keys(record), pick)
    if (!record || !name) return false
    lose(String(record[name]))
    record[name] = null
    return true
  },
  'fields in another order': (nodes, pick) => {
    const record = pickOne(nodes.filter(isRecord), pick)
    if (record === null) return false
    const fields = Object.entries(record).toReversed()
    for (const [name] of fields) delete record[name]
    for (const [name, value] of fields) record[name] = value
    return true
  },
  'a number as text': (nodes, pick) => {
    const record = pickOne(nodes.filter(isRecord), pick)
    const found =
      record &&
      pickOne(
        Object.entries(record).filter(([, value]) => typeof value === 'number'),
        pick,
      )
    if (!record || !found) return false
    record[found[0]] = String(found[1])
    return true
  },
  'two cells of all lists exchanged': (nodes, pick) => {
    // Pairs of numbers are coordinates.
    const lists = nodes.filter(isListOfTexts)
    const width = Math.min(...lists.map(({ length }) => length))
    if (lists.length === 0 || width < 2) return false
    const one = pick(width - 1)
    for (const list of lists) [list[one], list[one + 1]] = [list[one + 1] as string, list[one] as string]
    return true
  },
} satisfies Record<string, Change>

/** The objects and lists of a response, outermost first. */
export const nodesOf = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(nodesOf)] : []

const isRecord = (node: object): node is Record<string, unknown> => !Array.isArray(node) && Object.keys(node).length > 0

const isListOfTexts = (node: object): node is string[] =>
  Array.isArray(node) && node.length > 1 && node.every((item) => typeof item === 'string')
