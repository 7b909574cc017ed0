import type { ReactNode } from 'react'
import type { Tone } from './notice'

/** One number with its name, in a `dl` of figures. */
export const Figure = ({ label, tone = 'plain', children }: { label: string; tone?: Tone; children: ReactNode }) => (
  <div className={`figure ${tone}`}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)
