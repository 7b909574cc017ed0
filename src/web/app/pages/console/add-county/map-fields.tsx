import { useId } from 'react'
import { parcelFields } from '../../../../../../core/parcels/fields'
import { countNoun, describeRowsRead } from '../../../../../../core/text/count-noun'
import type { FilePreview } from '../../../../../ingest/preview/file-preview'
import { formatCount } from '../../../format'
import { Field } from '../../../ui/form/field'
import { Notice } from '../../../ui/notice'
import { DataTable } from '../../../ui/table/data-table'
import { formatRecordField } from '../../parcel/format-value'

const ID = 'source_parcel_id'
const FIELD_NAMES = [ID, ...parcelFields.map(({ name }) => name)]

const titleOf = (field: string): string => (field === ID ? 'Parcel id' : formatRecordField(field))

/** The column of each field. A column that no field uses is listed below. */
export const MapFields = ({
  preview,
  map,
  onChange,
}: {
  preview: FilePreview
  map: Readonly<Record<string, string>>
  onChange: (map: Record<string, string>) => void
}) => {
  const columns = useId()
  const used = new Set(preview.columns.filter(({ fields }) => fields.length > 0).map(({ name }) => name))
  const unused = preview.columns.filter(({ name }) => !used.has(name))
  return (
    <>
      <datalist id={columns}>
        {preview.columns.map(({ name }) => (
          <option key={name} value={quoted(name)} />
        ))}
      </datalist>
      <DataTable
        label="Fields"
        rows={FIELD_NAMES.map((name) => ({ name }))}
        keyOf={({ name }) => name}
        toneOf={({ name }) => (name === ID && (map[name] ?? '') === '' ? 'warn' : null)}
        empty=""
        columns={[
          {
            name: 'Field',
            isHead: true,
            cell: ({ name }) => (name === ID ? `${titleOf(name)} (required)` : titleOf(name)),
          },
          {
            name: 'Column of the file',
            cell: ({ name }) => (
              <input
                list={columns}
                aria-label={`Column of ${titleOf(name)}`}
                placeholder="not in the file"
                spellCheck={false}
                autoComplete="off"
                value={map[name] ?? ''}
                onChange={({ target }) => onChange({ ...map, [name]: target.value })}
              />
            ),
          },
          {
            name: 'First parcels',
            cell: ({ name }) => (
              <span className="cell-words">{firstValues(preview, name, map[name] ?? '').join(' · ')}</span>
            ),
          },
        ]}
      />
      {unused.length > 0 && (
        // Without an id, or with a column that the file lacks, people look for the right column here.
        <details open={preview.missing_id || preview.error !== null}>
          <summary>{countNoun(unused.length, 'column is not used', 'columns are not used')}</summary>
          <dl className="facts">
            {unused.map(({ name, samples }) => (
              <div key={name} className="contents">
                <dt>{name}</dt>
                <dd>{samples.join(' · ') || 'empty'}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}

/** The first values of a field. Without an id nothing is read as a parcel, so these are the values of the column then. */
const firstValues = (preview: FilePreview, field: string, expression: string): string[] =>
  preview.missing_id
    ? (preview.columns.find(({ name }) => [name, quoted(name)].includes(expression.trim()))?.samples ?? [])
    : preview.sample
        .map((parcel) => parcel[field])
        .filter((value) => value !== null && value !== undefined && value !== '')
        .slice(0, 3)
        .map(String)

/** A column as expressions name it. */
const quoted = (name: string): string => (/^[\p{L}_$][\p{L}\p{N}_.$]*$/u.test(name) ? name : `"${name}"`)

/** What a preview says about the rows. */
export const PreviewFindings = ({ preview }: { preview: FilePreview }) => {
  const { rows, rejects, warnings, error, crs, format, preset } = preview
  const read = `${describeRowsRead(rows.read, rows.is_all)} of the file (${format}) ${rows.read === 1 ? 'was' : 'were'} read`
  return (
    <div className="stack">
      <p className="quiet" role="status">
        {rows.read === 0
          ? `The format of the file is ${format}.`
          : `${read}: ${countNoun(rows.parcels, 'parcel')}, rejected ${formatCount(rows.rejected)}${
              rows.without_boundary > 0
                ? `, ${countNoun(rows.without_boundary, 'parcel')} without a boundary${rows.points > 0 ? ` (${formatCount(rows.points)} of them with a point)` : ''}`
                : ''
            }.`}
        {preset !== null && ` The columns are those of the schema ${preset}.`}
        {crs.name !== null && ` Coordinates: ${crs.name}.`}
      </p>
      {error !== null && <Notice tone="bad">The file cannot be read to its end: {error}</Notice>}
      {crs.question !== null && <Notice tone="warn">{crs.question}</Notice>}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <RejectReasons rejects={rejects} />
    </div>
  )
}

/** A reason of the service, with the names of fields as the form has them. */
const inWords = (reason: string): string =>
  FIELD_NAMES.reduce((text, name) => text.replace(new RegExp(`\\b${name}\\b`, 'g'), titleOf(name)), reason)

export const RejectReasons = ({ rejects }: { rejects: FilePreview['rejects'] }) =>
  rejects.length === 0 ? null : (
    <DataTable
      label="Rejected rows"
      rows={rejects}
      keyOf={({ examples }) => examples[0]?.reason ?? ''}
      toneOf={() => 'warn'}
      empty=""
      columns={[
        { name: 'Rows', isNumber: true, cell: ({ count }) => formatCount(count) },
        {
          name: 'Why',
          isHead: true,
          // The reasons of a group differ in their values, so one of them would not be true of the other rows.
          cell: ({ examples }) =>
            [...new Set(examples.map(({ reason }) => inWords(reason)))].map((reason) => (
              <span key={reason} className="cell-message">
                {reason}
              </span>
            )),
        },
        {
          name: 'For example',
          cell: ({ examples }) => examples.map(({ place, id }) => (id === '' ? place : `${place} (${id})`)).join(', '),
        },
      ]}
    />
  )

/** The coordinate system, where the file does not say it. */
/** Encodings of old files. Others can be typed. */
const ENCODINGS = ['utf-8', 'windows-1252', 'cp437', 'cp850']

export const EncodingField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => {
  const encodings = useId()
  return (
    <Field label="Encoding of the text" hint="Only if letters such as Ñ are wrong. Example: cp850, of old DOS tables">
      {(given) => (
        <>
          <datalist id={encodings}>
            {ENCODINGS.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <input
            {...given}
            list={encodings}
            autoComplete="off"
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        </>
      )}
    </Field>
  )
}

export const CrsField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <Field label="Coordinate system" hint="Only if the file does not name it, or names the wrong one. Example: EPSG:2913">
    {(given) => <input {...given} autoComplete="off" value={value} onChange={({ target }) => onChange(target.value)} />}
  </Field>
)
