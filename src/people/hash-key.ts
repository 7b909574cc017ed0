/** The SHA-256 of a key, in hex: what is stored of it, and what keys are compared by. */
export const hashKey = (key: string): string => new Bun.CryptoHasher('sha256').update(key).digest('hex')
