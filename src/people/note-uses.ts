/**
 * Collects the times of last use, so that requests do not wait for a write. `flush` writes the times since the last flush. If it fails,
 * the next one writes them.
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
