import { Field } from './field'

interface Props {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  className?: string
}

/** A field whose text narrows the list below it. */
export const SearchField = ({ label, placeholder, value, onChange, className = 'grow' }: Props) => (
  <Field label={label} className={className}>
    {(given) => (
      <input
        {...given}
        type="search"
        placeholder={placeholder}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)
