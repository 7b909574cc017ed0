/** The edited texts that differ from those that were saved: what was typed since. The other fields show what is stored. */
export const withoutSaved = <Texts extends Readonly<Record<string, string>>>(edited: Texts, saved: Texts): Texts =>
  Object.fromEntries(Object.entries(edited).filter(([name, text]) => text !== saved[name])) as Texts
