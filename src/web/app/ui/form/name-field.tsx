import type { ReactNode } from 'react'
import { Field } from './field'

interface Props {
  label?: string
  hint?: ReactNode
  value: string
  onChange: (name: string) => void
}

/** A required name of something that people store. The service takes up to 100 characters. */
export const NameField = ({ label = 'Name', hint, value, onChange }: Props) => (
  <Field label={label} hint={hint}>
    {(given) => (
      <input
        {...given}
        required
        maxLength={100}
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)
