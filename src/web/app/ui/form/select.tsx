import { Field } from './field'

interface Props<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [value: Value, name: string])[]
  onChange: (value: Value) => void
}

export const Select = <Value extends string>({ label, value, options, onChange }: Props<Value>) => (
  <Field label={label}>
    {(given) => (
      <select {...given} value={value} onChange={({ target }) => onChange(target.value as Value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)
