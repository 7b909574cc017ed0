/** SQLSTATE classes about the data: data exceptions, violated constraints, index size limits (Appendix A of the manual). */
export const isAboutData = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^(?:22|23|54)...$/.test(error.code)

/**
 * Writes items together. If the database refuses the data of one, halves the list until that item is alone, and writes the others.
 * `write` must undo what it wrote when it throws.
 *
 * @throws what `write` throws, except for refused data
 */
export const writeUnlessRefused = async <Item>(
  items: readonly Item[],
  write: (items: readonly Item[]) => Promise<void>,
  onRefused: (item: Item, reason: string) => void,
): Promise<void> => {
  try {
    await write(items)
  } catch (error) {
    if (!isAboutData(error)) throw error
    const [only] = items
    if (items.length === 1 && only !== undefined) return onRefused(only, `the database refused it: ${error.message}`)
    const middle = Math.ceil(items.length / 2)
    await writeUnlessRefused(items.slice(0, middle), write, onRefused)
    await writeUnlessRefused(items.slice(middle), write, onRefused)
  }
}
