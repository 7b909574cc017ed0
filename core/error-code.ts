/** The code of an error of the system, the database, a bucket or a library, such as `ENOENT`. Null: it has none. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

/** Whether an error has one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly string[]): boolean => codes.includes(codeOf(error) ?? '')
