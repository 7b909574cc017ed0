/** Control characters except tab and line feed. Terminals obey them: escape sequences move the cursor, hide text and set titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is meant to match them.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Removes control characters from all texts that the console prints, because many are from files, portals and other people. */
export const guardConsole = (): void => {
  for (const method of ['log', 'error', 'warn', 'table'] as const) {
    const print = console[method].bind(console)
    console[method] = (...values: unknown[]) => print(...values.map(withoutControls))
  }
}

const withoutControls = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(CONTROL, '')
  if (Array.isArray(value)) return value.map(withoutControls)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, withoutControls(entry)]))
}
