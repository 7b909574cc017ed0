import type { api } from '../../../api/api'
import { Fact } from '../../../ui/fact'
import { Notice } from '../../../ui/notice'
import { DataTable } from '../../../ui/table/data-table'

type Answer = Awaited<ReturnType<ReturnType<typeof api.v1.sources>['dry-run']['post']>>
type Result = Exclude<NonNullable<Answer['data']>, Response>

/** What a dry run read, beside the labels of the page. */
export const DryRun = ({ result }: { result: Result }) => {
  const { failure, labels, values, unread, warnings, absent, answers } = result
  if (failure !== null) {
    return (
      <Notice tone="bad">
        The parcel was not read: {failure.code}: {failure.message}
      </Notice>
    )
  }
  // A label that was not read can have the value of a field by chance.
  const shown = new Set(labels.flatMap(({ is_read, fields }) => (is_read ? fields : [])))
  const others = values.filter(({ field }) => !shown.has(field))
  // The table marks the labels that have a value.
  const listed = new Set(labels.map(({ label }) => label))
  const unlisted = unread.filter((label) => !listed.has(label))
  return (
    <section className="stack" aria-label="Dry run">
      {labels.length > 0 && (
        <DataTable
          label="Labels of the page"
          rows={labels}
          keyOf={({ label, value }) => `${label} ${value}`}
          toneOf={({ is_read }) => (is_read ? null : 'warn')}
          empty=""
          columns={[
            { name: 'On the page', isHead: true, cell: ({ label }) => label },
            { name: 'Value', cell: ({ value }) => value },
            {
              name: 'Read as',
              cell: ({ is_read, fields }) => (is_read ? fields.join(', ') || 'read' : 'not read'),
            },
          ]}
        />
      )}
      <dl className="facts">
        {others.map(({ field, value }) => (
          <Fact key={field} label={field}>
            {value}
          </Fact>
        ))}
        {unlisted.length > 0 && <Fact label="Also on the page, but not read">{unlisted.join(', ')}</Fact>}
        {absent.length > 0 && <Fact label="Not found on the page">{absent.join(', ')}</Fact>}
        <Fact label="Requests">{answers.map(({ name, url, status }) => `${name}: ${url} (${status})`).join(', ')}</Fact>
      </dl>
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
    </section>
  )
}
