/** The result of one check. */
export interface Diagnosis {
  /** What was checked. */
  about: string
  state: 'ok' | 'warn' | 'fault'
  /** The state that was found. Never contains a secret. */
  what: string
  /** How to fix it; null if there is no problem. */
  advice: string | null
}

export const ok = (about: string, what: string): Diagnosis => ({ about, state: 'ok', what, advice: null })

/** It works now but will cause trouble. */
export const warn = (about: string, what: string, advice: string): Diagnosis => ({ about, state: 'warn', what, advice })

/** Something does not work. */
export const fault = (about: string, what: string, advice: string): Diagnosis => ({
  about,
  state: 'fault',
  what,
  advice,
})

/** Runs a check and turns an error into a fault: one broken server must not prevent the other checks. */
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

/** Host and port of a URL, without its password. */
export const hostOf = (url: string): string => new URL(url).host
