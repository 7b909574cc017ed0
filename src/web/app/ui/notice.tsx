import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'warn' | 'bad'

/** A few words about what is the case. A bad one is read out at once, any other when there is time. */
export const Notice = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
)
