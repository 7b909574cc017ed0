/** Asks questions in the terminal, and reads answers that are piped. */
export interface Questions {
  /** The trimmed answer. Null: the input has ended. */
  ask: (question: string) => Promise<string | null>
  /** `y` or `yes`. Everything else means no. */
  confirm: (question: string) => Promise<boolean>
  [Symbol.asyncDispose]: () => Promise<void>
}

export const openQuestions = (): Questions => {
  // Reads whole lines only. Piped lines wait until they are requested.
  let lines: AsyncIterator<string> | null = null
  const ask = async (question: string): Promise<string | null> => {
    process.stdout.write(question)
    lines ??= console[Symbol.asyncIterator]()
    const { value, done } = await lines.next()
    // A terminal shows the answer. A piped answer is not visible.
    if (process.stdin.isTTY !== true) process.stdout.write('\n')
    return done ? null : value.trim()
  }
  return {
    ask,
    confirm: async (question) => /^y(?:es)?$/i.test((await ask(`${question} [y/N] `)) ?? ''),
    [Symbol.asyncDispose]: async () => void (await lines?.return?.()),
  }
}
