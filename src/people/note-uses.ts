/**
 * Records when things were last used, outside the path of requests: `flush` writes what was recorded since the last flush.
 * What could not be written is kept for the next one.
 */
export const noteUses = (write: (uses: { id: string; usedAt: string }[]) => Promise<void>) => {
  const lastUsed = new Map<string, number>()
  return {
    note: (id: string): void => {
      lastUsed.set(id, Date.now())
    },
    flush: async (): Promise<void> => {
      if (lastUsed.size === 0) return
      const uses = [...lastUsed].map(([id, usedAt]) => ({ id, usedAt: new Date(usedAt).toISOString() }))
      lastUsed.clear()
      try {
        await write(uses)
      } catch (error) {
        for (const { id, usedAt } of uses) lastUsed.set(id, Math.max(lastUsed.get(id) ?? 0, Date.parse(usedAt)))
        throw error
      }
    },
  }
}
