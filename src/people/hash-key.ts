/** The SHA-256 of a key in hex, stored instead of the key and used for comparison. */
export const hashKey = (key: string): string => Bun.CryptoHasher.hash('sha256', key, 'hex')
