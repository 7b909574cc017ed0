import { Fragment } from 'react'

/** A text whose parts in backticks are code. */
export const Prose = ({ children }: { children: string }) =>
  children.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
    index % 2 === 1 ? <code key={index}>{part}</code> : <Fragment key={index}>{part}</Fragment>,
  )
