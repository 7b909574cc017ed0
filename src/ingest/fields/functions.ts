import { parseFragment, type DefaultTreeAdapterTypes as Tree } from 'parse5'
import { RE2JS } from 're2js'
import { ServiceError } from '../../../core/service-error'
import { ValueFault } from '../rows/source-row'
import { toNumber, toText } from './values'

export type Evaluate = (properties: Record<string, unknown>) => unknown

/** An argument. Constant texts and numbers are known before the first row. */
export interface Argument {
  evaluate: Evaluate
  /** Null: it is not constant. */
  constant: string | number | null
}

interface MapFunction {
  /** Shown when a map uses the function incorrectly, and in the list of functions. */
  usage: string
  does: string
  /** How many arguments it takes. */
  takes: readonly [min: number, max: number]
  /** Whether an argument (from 0) can be the result. Such arguments are numbers in a numeric field; the others are texts. */
  isResult?: (index: number, count: number) => boolean
  /** @throws ServiceError `bad_input` for an invalid constant */
  compile: (args: readonly Argument[], target: string) => Evaluate
}

const read = (argument: Argument | undefined, properties: Record<string, unknown>, target: string): string | null =>
  argument === undefined ? null : toText(argument.evaluate(properties), target)

const refuse = (why: string): never => {
  throw new ServiceError('bad_input', why)
}

/**
 * RE2 takes linear time for every pattern, so a pattern cannot stop a load. It takes 4 to 12 µs per value. The built-in engine takes
 * less than 1 µs, but for some patterns never ends (2026-11-23).
 */
const compilePattern = (argument: Argument | undefined, usage: string): RE2JS => {
  const pattern = argument?.constant
  if (typeof pattern !== 'string') return refuse(`the pattern of ${usage} must be a text in quotes`)
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return refuse(`the pattern '${pattern}' cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

const NUMBER_IN_TEXT = /-?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)/

const textOf = (node: Tree.Node): string =>
  'value' in node && node.nodeName === '#text'
    ? node.value
    : 'childNodes' in node
      ? node.childNodes.map(textOf).join('')
      : ''

/** The text of HTML, such as a link. */
export const textOfHtml = (html: string): string => textOf(parseFragment(html))

/** The functions of field maps, by name. The result of a function is empty for an empty text. */
export const FUNCTIONS: Readonly<Record<string, MapFunction>> = {
  cut: {
    usage: 'cut(TEXT, START, LENGTH)',
    does: 'part of a text, from character START, counted from 1; without LENGTH, the rest',
    takes: [2, 3],
    compile: ([text, from, count], target) => {
      const start = from?.constant
      const length = count === undefined ? Number.POSITIVE_INFINITY : count.constant
      if (typeof start !== 'number' || start < 1 || typeof length !== 'number') {
        return refuse('cut takes a text, the number of its first character (from 1) and a length')
      }
      return (properties) => {
        const value = read(text, properties, target)
        return value === null ? null : [...value].slice(start - 1, start - 1 + length).join('')
      }
    },
  },
  join: {
    usage: "join(', ', A, B, ...)",
    does: 'texts with a separator between them; empty ones are left out',
    takes: [2, 40],
    compile: ([separator, ...parts], target) => {
      const between = separator?.constant
      if (typeof between !== 'string') return refuse("the separator of join must be a text in quotes: join(', ', A, B)")
      return (properties) => {
        const texts = parts.map((part) => read(part, properties, target)).filter((text) => text !== null)
        return texts.length === 0 ? null : texts.join(between)
      }
    },
  },
  replace: {
    usage: "replace(TEXT, 'PATTERN', 'NEW')",
    does: "replaces each match of a regular expression (RE2); $1 in 'NEW' is its first group",
    takes: [3, 3],
    compile: ([text, pattern, by], target) => {
      const compiled = compilePattern(pattern, 'replace')
      const replacement = by?.constant
      if (typeof replacement !== 'string') return refuse('the replacement of replace must be a text in quotes')
      return (properties) => {
        const value = read(text, properties, target)
        return value === null ? null : compiled.matcher(value).replaceAll(replacement)
      }
    },
  },
  pick: {
    usage: "pick(TEXT, 'PATTERN')",
    does: 'what the group of a regular expression (RE2) matches, or all of it if there is no group; empty if nothing matches',
    takes: [2, 2],
    compile: ([text, pattern], target) => {
      const compiled = compilePattern(pattern, 'pick')
      const group = compiled.groupCount() > 0 ? 1 : 0
      return (properties) => {
        const value = read(text, properties, target)
        if (value === null) return null
        const matcher = compiled.matcher(value)
        return matcher.find() ? matcher.group(group) : null
      }
    },
  },
  plain: {
    usage: 'plain(HTML)',
    does: 'the text of HTML, such as a link',
    takes: [1, 1],
    compile:
      ([html], target) =>
      (properties) => {
        const value = read(html, properties, target)
        return value === null || !/[<&]/.test(value) ? value : textOfHtml(value)
      },
  },
  number: {
    usage: 'number(TEXT)',
    does: 'the first number in a text, such as 0.25 of "0.25 AC"',
    takes: [1, 1],
    compile:
      ([text], target) =>
      (properties) => {
        const value = read(text, properties, target)
        if (value === null) return null
        const found = NUMBER_IN_TEXT.exec(value)?.[0]
        if (found === undefined)
          throw new ValueFault(`${target} is ${JSON.stringify(value.slice(0, 80))}: it has no number`)
        return toNumber(found, target)
      },
  },
  choose: {
    usage: "choose(VALUE, 'A', X, 'B', Y, OTHER)",
    does: 'X if the value is A, Y if it is B, otherwise OTHER, or nothing without it',
    takes: [3, 400],
    isResult: (index, count) => index > 0 && (index % 2 === 0 || (index === count - 1 && count % 2 === 0)),
    compile: ([value, ...pairs], target) => {
      const results = new Map<string, Evaluate>()
      for (let at = 0; at + 1 < pairs.length; at += 2) {
        const key = pairs[at]?.constant
        if (key === null || key === undefined)
          return refuse("choose compares with texts in quotes: choose(UNIT, 'A', X)")
        results.set(`${key}`.trim().toLowerCase(), (pairs[at + 1] as Argument).evaluate)
      }
      const other = pairs.length % 2 === 1 ? (pairs.at(-1) as Argument).evaluate : () => null
      return (properties) => (results.get(read(value, properties, target)?.toLowerCase() ?? '') ?? other)(properties)
    },
  },
}
