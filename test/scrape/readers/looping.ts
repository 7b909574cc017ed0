/** The process name of a reader that loops forever. At most 15 characters. */
export const LOOPING = 'looping'
