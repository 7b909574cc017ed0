import { useId, useState } from 'react'
import type { ResponseObject } from '../../../../http/docs/response-fields'
import { CopyButton } from '../../ui/copy-button'
import { CodeBlock } from './code-block'
import { type Example, LANGUAGES, type Language, toProgram } from './guide'
import { Prose } from './prose'
import type { GuideRequest, Target } from './request'
import { TryIt } from './try-it'

interface Props {
  example: Example
  target: Target
  /** The language that the reader has chosen for all examples. */
  language: Language
  onLanguage: (language: Language) => void
  response: readonly ResponseObject[] | undefined
}

const NEEDS: Record<NonNullable<GuideRequest['needs']>, string> = {
  read: 'any key',
  enqueue: 'a key that may request scrapes (enqueue)',
  'bulk-export': 'a key that may export (bulk-export)',
}

/** One request of the guide: its programs, the form that sends it, and the fields of the response. */
export const ExampleCard = ({ example, target, language, onLanguage, response }: Props) => {
  const [request, setRequest] = useState(example.request)
  const { id, title, about, operation } = example
  return (
    <article className="card" id={id} aria-labelledby={`${id}-title`}>
      <div>
        <h3 id={`${id}-title`}>{title}</h3>
        <p>
          <Prose>{about}</Prose>
        </p>
        <p className="quiet small">
          Needs {request.needs === null ? 'no key' : NEEDS[request.needs]}.
          {operation && (
            <>
              {' '}
              <a href={`/docs/reference#/${operation.tag}/${operation.id}`}>All parameters and responses</a>
            </>
          )}
        </p>
      </div>
      <Programs example={{ ...example, request }} target={target} language={language} onLanguage={onLanguage} />
      <TryIt title={title} request={request} target={target} onChange={setRequest} />
      {response !== undefined && <ResponseFields response={response} />}
    </article>
  )
}

/** All languages are in the page, so that it can be read without JavaScript. The style sheet shows the chosen one. */
const Programs = ({ example, target, language, onLanguage }: Omit<Props, 'response'>) => {
  const name = useId()
  return (
    <div className="programs">
      <div className="code-head">
        <fieldset className="languages">
          <legend className="unseen">Language of the example: {example.title}</legend>
          {LANGUAGES.map((one) => (
            <label key={one}>
              <input type="radio" name={name} value={one} checked={one === language} onChange={() => onLanguage(one)} />
              {one}
            </label>
          ))}
        </fieldset>
        <span className="needs-script">
          <CopyButton text={toProgram(example, language, target)} label="Copy" />
        </span>
      </div>
      {LANGUAGES.map((one) => (
        <CodeBlock key={one} label={`${example.title} in ${one}`} language={one}>
          {toProgram(example, one, target)}
        </CodeBlock>
      ))}
    </div>
  )
}

const ResponseFields = ({ response }: { response: readonly ResponseObject[] }) => (
  <details>
    <summary>Fields of the response</summary>
    <div className="stack response-fields">
      {response.map(({ title, fields }) => (
        <section key={title ?? ''}>
          {title !== null && <h4>{title}</h4>}
          <dl className="facts">
            {fields.map(({ name, type, about }) => (
              <div key={name} className="contents">
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <span className="quiet small">{type}</span> <Prose>{about}</Prose>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </details>
)
