import { changeAddress, useAddressField } from '../../address'
import { Field } from './field'

interface Props {
  label: string
  placeholder: string
  /** The query parameter of the page's URL that has the text. */
  name: string
  className?: string
}

/** A field whose text narrows the list below it. */
export const SearchField = ({ label, placeholder, name, className = 'grow' }: Props) => {
  const field = useAddressField(name)
  return (
    <Field label={label} className={className}>
      {(given) => (
        <input
          {...given}
          {...field}
          type="search"
          placeholder={placeholder}
          onChange={({ target }) => changeAddress({ [name]: target.value }, name)}
        />
      )}
    </Field>
  )
}
