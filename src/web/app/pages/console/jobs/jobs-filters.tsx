import { FAILURE_CLASSES } from '../../../../../../core/sources/failure-classes'
import { changeAddress, useAddressField } from '../../../address'
import { Field } from '../../../ui/form/field'
import { SearchField } from '../../../ui/form/search-field'
import { Select } from '../../../ui/form/select'
import { useSourceNames } from './job-api'
import type { JobsFilter } from './jobs-filter'

/** The fields that change the filter in the URL. */
export const JobsFilters = ({ filter }: { filter: JobsFilter }) => {
  const sourceField = useAddressField('source')
  const names = useSourceNames()
  return (
    <div className="filters">
      <Select
        label="Status"
        value={filter.status}
        onChange={(status) => changeAddress({ status, failure_class: null })}
        options={[
          ['', 'All'],
          ['queued', 'Queued'],
          ['running', 'Running'],
          ['done', 'Done'],
          ['error', 'Error'],
        ]}
      />
      <Field label="Source">
        {(given) => (
          <>
            <input
              {...given}
              type="search"
              list="job-sources"
              placeholder="All sources"
              {...sourceField}
              onChange={({ target }) => changeAddress({ source: target.value, failure_class: null }, 'source')}
            />
            <datalist id="job-sources">
              {names.data?.map(([slug, name]) => (
                <option key={slug} value={slug}>
                  {name}
                </option>
              ))}
            </datalist>
          </>
        )}
      </Field>
      {filter.source !== '' && (
        <Select
          label="Failed because of"
          value={filter.failureClass}
          onChange={(failure_class) => changeAddress({ failure_class, status: null, parcel_id: null })}
          options={[['', 'Any reason'], ...FAILURE_CLASSES.map(({ name, title }) => [name, title] as const)]}
        />
      )}
      <SearchField label="Parcel id" placeholder="As the source writes it" name="parcel_id" />
    </div>
  )
}
