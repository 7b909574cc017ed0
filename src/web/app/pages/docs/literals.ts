/** A value as it is written in TypeScript, in the style of this project. `indent` is that of the line that it begins on. */
export const toTypeScript = (value: unknown, indent = ''): string =>
  write(value, indent, {
    text: quoteTypeScript,
    key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : quoteTypeScript(name)),
    word: String,
    braces: ['{ ', ' }'],
    tab: '  ',
  })

/** A value as it is written in Python. */
export const toPython = (value: unknown, indent = ''): string =>
  write(value, indent, {
    text: quotePython,
    key: quotePython,
    word: (value) => ({ true: 'True', false: 'False', null: 'None' })[String(value)] ?? String(value),
    braces: ['{', '}'],
    tab: '    ',
  })

/** A text as one word of a shell command. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const quoteTypeScript = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const quotePython = (text: string): string => JSON.stringify(text)

interface Style {
  text: (value: string) => string
  key: (name: string) => string
  word: (value: unknown) => string
  braces: readonly [string, string]
  /** One level of indentation. */
  tab: string
}

const MAX_LINE = 88

const write = (value: unknown, indent: string, style: Style): string => {
  if (typeof value === 'string') return style.text(value)
  if (typeof value !== 'object' || value === null) return style.word(value)
  const isList = Array.isArray(value)
  const entries = (deeper: string): string[] =>
    isList
      ? value.map((item) => write(item, deeper, style))
      : Object.entries(value).map(([name, item]) => `${style.key(name)}: ${write(item, deeper, style)}`)
  const [open, close] = isList ? ['[', ']'] : style.braces
  const flat = entries(indent)
  if (flat.length === 0) return `${open.trim()}${close.trim()}`
  const short = `${open}${flat.join(', ')}${close}`
  if (indent.length + short.length <= MAX_LINE) return short
  const deeper = `${indent}${style.tab}`
  const lines = entries(deeper).map((entry) => `${deeper}${entry},\n`)
  return `${open.trim()}\n${lines.join('')}${indent}${close.trim()}`
}
