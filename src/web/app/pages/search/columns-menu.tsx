import { chooseColumns, RESULT_COLUMNS, useColumns } from './results-table'

/** Chooses the columns of the table of results. */
export const ColumnsMenu = ({ isList }: { isList: boolean }) => {
  const chosen = useColumns()
  return (
    <details
      className="columns-menu"
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return
        currentTarget.querySelector('summary')?.focus()
        currentTarget.open = false
      }}
    >
      <summary className="button">Columns</summary>
      <fieldset>
        <legend className="unseen">Columns of the table</legend>
        {RESULT_COLUMNS.map(({ id, name, isListed = false }) => (
          <label key={id} className="checkbox">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ target }) =>
                chooseColumns(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
              }
            />
            {name}
            {isListed && !isList && <span className="quiet small">not for a text</span>}
          </label>
        ))}
      </fieldset>
    </details>
  )
}
