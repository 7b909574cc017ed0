/** What one look at the service found. */
export interface Diagnosis {
  /** What was looked at. */
  about: string
  state: 'ok' | 'warn' | 'fault'
  /** What there is. Never a secret. */
  what: string
  /** What to do about it; null when all is well. */
  advice: string | null
}

export const ok = (about: string, what: string): Diagnosis => ({ about, state: 'ok', what, advice: null })

/** It works, and will not for ever. */
export const warn = (about: string, what: string, advice: string): Diagnosis => ({ about, state: 'warn', what, advice })

/** Something does not work. */
export const fault = (about: string, what: string, advice: string): Diagnosis => ({
  about,
  state: 'fault',
  what,
  advice,
})

/** Looks, and takes an error for a fault: a server that is ill must not keep the others from being looked at. */
export const examine = async (
  about: string,
  advice: string,
  look: () => Promise<Diagnosis[]>,
): Promise<Diagnosis[]> => {
  try {
    return await look()
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : String(error)
    return [fault(about, reason, advice)]
  }
}

/** Host and port of an address, without the password that it may hold. */
export const hostOf = (url: string): string => new URL(url).host
