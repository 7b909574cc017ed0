import type { ReactNode } from 'react'
import { DASH } from '../format'

/** A name and its value in a `dl.facts`. A value that is not known shows as a dash. */
export const Fact = ({ label, children }: { label: ReactNode; children: ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children ?? DASH}</dd>
  </>
)
