import type { ServiceError } from '../service-error'
import { CQL2_BOUNDS, refusal } from './cql2'

export interface Token {
  kind: 'word' | 'name' | 'text' | 'number' | 'sign' | 'end'
  text: string
}

/** Inside a text, a quote is doubled or escaped with a backslash. No two branches begin with the same character. */
const TOKEN =
  /\s*(?:(?<word>[A-Za-z_][\w.]*)|"(?<name>(?:[^"]|"")+)"|'(?<text>(?:[^'\\]|''|\\'|\\(?!'))*)'|(?<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<sign><>|<=|>=|[=<>(),]))/y

const END: Token = { kind: 'end', text: '' }

/** The tokens of an expression, taken one after another. Words match in any case. */
export class Tokens {
  readonly #tokens: readonly Token[]
  #place = 0

  /** @throws ServiceError `bad_input`, which names the position */
  constructor(expression: string) {
    this.#tokens = readTokens(expression)
  }

  /** The next token, which stays the next. */
  get next(): Token {
    return this.#tokens[this.#place] ?? END
  }

  take(): Token {
    const { next } = this
    this.#place++
    return next
  }

  isWord(word: string): boolean {
    return this.next.kind === 'word' && this.next.text.toUpperCase() === word
  }

  /** Takes the next token if it is this word. */
  skipWord(word: string): boolean {
    return this.#skip(this.isWord(word))
  }

  skipSign(sign: string): boolean {
    return this.#skip(this.next.kind === 'sign' && this.next.text === sign)
  }

  /** @throws ServiceError `bad_input` when another token is next */
  expectWord(word: string): void {
    if (!this.skipWord(word)) throw this.expected(word)
  }

  expectSign(sign: string): void {
    if (!this.skipSign(sign)) throw this.expected(`"${sign}"`)
  }

  /** The error that the next token is not `what`. */
  expected(what: string): ServiceError {
    const { kind, text } = this.next
    return refusal(kind === 'end' ? `ends where ${what} is expected` : `has ${excerpt(text)} where ${what} is expected`)
  }

  #skip(matches: boolean): boolean {
    if (matches) this.#place++
    return matches
  }
}

const readTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) throw refusal(`cannot be read from character ${from + 1}: ${excerpt(text.slice(from))}`)
    tokens.push(toToken(groups))
    if (tokens.length > CQL2_BOUNDS.tokens) throw refusal(`has more than ${CQL2_BOUNDS.tokens} words and signs`)
  }
  return tokens
}

const toToken = ({ word, name, text, number, sign }: Record<string, string | undefined>): Token => {
  if (word !== undefined) return { kind: 'word', text: word }
  if (name !== undefined) return { kind: 'name', text: name.replaceAll('""', '"') }
  if (text !== undefined) return { kind: 'text', text: readText(text) }
  if (number !== undefined) return { kind: 'number', text: number }
  return { kind: 'sign', text: sign ?? '' }
}

/** Control characters that a text may have as a backslash and a letter (OGC 21-065r2, /req/cql2-text/escaping). */
const CONTROLS: Readonly<Record<string, string>> = {
  '\\a': '\x07',
  '\\b': '\b',
  '\\t': '\t',
  '\\n': '\n',
  '\\v': '\v',
  '\\f': '\f',
  '\\r': '\r',
}

/** Two backslashes stay two: LIKE reads them as one. */
const readText = (text: string): string =>
  text.replace(/''|\\'|\\\\(?!')|\\[abtnvfr]/g, (found) => (found.endsWith("'") ? "'" : (CONTROLS[found] ?? found)))

/** The beginning of a text, for messages. */
export const excerpt = (text: string): string => JSON.stringify(text.trim().slice(0, 30))
