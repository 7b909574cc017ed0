/** The SHA-256 of a key in hex: stored in its place, and used for comparison. */
export const hashKey = (key: string): string => new Bun.CryptoHasher('sha256').update(key).digest('hex')
