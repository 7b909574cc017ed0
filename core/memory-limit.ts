import { totalmem } from 'node:os'

/** Bytes of memory that this process can use: those of the machine, or of its container (cgroup) if that has fewer. */
export const readMemoryLimit = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem())

/** One of `parts` equal parts of the memory, in MiB, and at most `mostMb`. */
export const shareOfMemory = (memoryBytes: number, parts: number, mostMb: number): number =>
  Math.min(mostMb, Math.floor(memoryBytes / parts / 1024 ** 2))

export const formatGb = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GB`
