import type { api } from '../../api/api'
import { Fact } from '../../ui/fact'
import { Notice } from '../../ui/notice'

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
  const shown = new Set(labels.flatMap(({ fields }) => fields))
  const others = values.filter(({ field }) => !shown.has(field))
  return (
    <section className="stack" aria-label="Dry run">
      {labels.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">On the page</th>
                <th scope="col">Value</th>
                <th scope="col">Read as</th>
              </tr>
            </thead>
            <tbody>
              {labels.map(({ label, value, is_read, fields }) => (
                <tr key={`${label} ${value}`}>
                  <th scope="row">{label}</th>
                  <td>{value}</td>
                  <td>{fields.length > 0 ? fields.join(', ') : is_read ? 'read' : 'not read'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <dl className="facts">
        {others.map(({ field, value }) => (
          <Fact key={field} label={field}>
            {value}
          </Fact>
        ))}
        {unread.length > 0 && <Fact label="On the page, but not read">{unread.join(', ')}</Fact>}
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
