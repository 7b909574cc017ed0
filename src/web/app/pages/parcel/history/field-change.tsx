import { formatChange } from '../format-value'

/** The former and the new value of a field. */
export const FieldChange = ({ field, former, next }: { field: string; former: unknown; next: unknown }) => {
  const said = formatChange(field, former, next)
  return (
    <>
      <span className="quiet">{said.former}</span> → {said.next}
    </>
  )
}
