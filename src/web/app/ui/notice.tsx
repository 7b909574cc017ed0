import type { ReactNode } from 'react'

export type Tone = 'plain' | 'good' | 'warn' | 'bad'

/** A short message. Screen readers read a bad one immediately, and others when they are idle. */
export const Notice = ({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) => (
  <div className={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    {children}
  </div>
)
