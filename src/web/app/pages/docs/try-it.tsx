import { useState } from 'react'
import { KeyForm } from '../../session/key-form'
import { SignInLink } from '../../session/sign-in-link'
import { useViewer } from '../../session/viewer'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { Field } from '../../ui/form/field'
import { Notice } from '../../ui/notice'
import { CodeBlock } from './code-block'
import { type GuideRequest, type Target, toCurl } from './request'
import { type Answer, sendRequest } from './send-request'

interface Props {
  title: string
  request: GuideRequest
  target: Target
  onChange: (request: GuideRequest) => void
}

type Outcome = { answer: Answer; curl: string } | 'no key' | 'no response' | null

/** Sends the request of an example as it is, or with other values, and shows the response. */
export const TryIt = ({ title, request, target, onChange }: Props) => {
  const { canRead } = useViewer()
  const [outcome, setOutcome] = useState<Outcome>(null)
  const [isBusy, setBusy] = useState(false)
  const send = async () => {
    if (request.needs !== null && !canRead) return setOutcome('no key')
    setBusy(true)
    const curl = toCurl(request, target)
    setOutcome(
      await sendRequest(request, target.key).then(
        (answer) => ({ answer, curl }),
        () => 'no response' as const,
      ),
    )
    setBusy(false)
  }
  const answered = outcome !== null && typeof outcome === 'object' ? outcome : null
  return (
    <div className="stack needs-script">
      <form
        className="stack"
        aria-label={`Try it: ${title}`}
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        {(request.values.length > 0 || request.body !== undefined) && (
          <details>
            <summary>Change the values</summary>
            <Values request={request} onChange={onChange} />
          </details>
        )}
        <div className="row">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Try it
          </Button>
          <code className="quiet small">
            {request.method} {request.path}
          </code>
          <span role="status">
            {answered !== null && (
              <>
                <span className={`badge ${toneOf(answered.answer.status)}`}>
                  {answered.answer.status} {answered.answer.statusText}
                </span>{' '}
                <span className="quiet small">in {answered.answer.elapsedMs} ms</span>
              </>
            )}
          </span>
        </div>
      </form>
      {outcome === 'no response' && (
        <Notice tone="bad">The service does not respond. Check your network, and try again.</Notice>
      )}
      {outcome === 'no key' && !canRead && (
        <div className="notice stack" role="status">
          <p>
            This request needs an API key. <SignInLink>Sign in</SignInLink>, or type a key:
          </p>
          <KeyForm />
        </div>
      )}
      {answered !== null && <Response title={title} {...answered} />}
    </div>
  )
}

const toneOf = (status: number): string => (status < 300 ? 'good' : status < 500 ? 'warn' : 'bad')

const Values = ({ request, onChange }: Pick<Props, 'request' | 'onChange'>) => (
  <div className="try-it-values">
    {request.values.map((one, index) => (
      <Field key={one.name} label={one.name}>
        {(field) => (
          <input
            {...field}
            className="code"
            spellCheck={false}
            autoComplete="off"
            required={one.in === 'path'}
            value={one.value}
            onChange={({ target }) =>
              onChange({ ...request, values: request.values.with(index, { ...one, value: target.value }) })
            }
          />
        )}
      </Field>
    ))}
    {request.body !== undefined && (
      <Field label={`Body (${request.body.type})`} className="whole">
        {(field) => (
          <textarea
            {...field}
            className="code"
            spellCheck={false}
            rows={request.body?.text.split('\n').length}
            value={request.body?.text}
            onChange={({ target }) =>
              request.body && onChange({ ...request, body: { ...request.body, text: target.value } })
            }
          />
        )}
      </Field>
    )}
  </div>
)

const Response = ({ title, answer, curl }: { title: string; answer: Answer; curl: string }) => (
  <div className="stack">
    <dl className="facts response-headers">
      {answer.headers.map(({ name, value, about }) => (
        <div key={name} className="contents">
          <dt>{name}</dt>
          <dd>
            <code>{value}</code> <span className="quiet small">{about}</span>
          </dd>
        </div>
      ))}
    </dl>
    <CodeBlock label={`Response: ${title}`}>{answer.text}</CodeBlock>
    {answer.isCut && <p className="quiet small">The response is longer. Use curl to see all of it.</p>}
    <div className="code-head">
      <span className="quiet small">This request with curl</span>
      <CopyButton text={curl} label="Copy the command" />
    </div>
    <CodeBlock label={`Command: ${title}`}>{curl}</CodeBlock>
  </div>
)
