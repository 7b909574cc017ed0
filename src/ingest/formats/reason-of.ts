/** A library's message that shows a value which the file lacks. */
const LACKS_VALUE = /\bundefined\b|\bNaN\b/

/**
 * What a library says is wrong with bytes that it cannot decode. Errors of the language, such as a read beyond the end, describe the
 * library's code and not the file, so they get one text.
 */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.constructor === Error && !LACKS_VALUE.test(error.message)
    ? error.message
    : 'its bytes do not fit together'
