import { Field } from '../../ui/form/field'

/** The fields for the note and the tags of a parcel in a portfolio. */
export const NoteFields = ({
  note,
  tags,
  onChange,
}: {
  note: string
  tags: string
  onChange: (changed: { note?: string; tags?: string }) => void
}) => (
  <>
    <Field label="Note">
      {(given) => (
        <textarea
          {...given}
          rows={3}
          maxLength={2_000}
          value={note}
          onChange={({ target }) => onChange({ note: target.value })}
        />
      )}
    </Field>
    <Field label="Tags" hint="Separated by commas.">
      {(given) => (
        <input {...given} autoComplete="off" value={tags} onChange={({ target }) => onChange({ tags: target.value })} />
      )}
    </Field>
  </>
)
