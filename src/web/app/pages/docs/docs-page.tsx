import { useEffect, useState, useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import type { ApiFacts } from '../../../../http/web/guide'
import { KeyForm } from '../../session/key-form'
import { useViewer } from '../../session/viewer'
import { Page } from '../../ui/page/page'
import { ExampleCard } from './example-card'
import { GUIDE, type Language } from './guide'
import { useApiFacts } from './guide-api'
import { Prose } from './prose'

/** The guide in front of the API reference. The service sends it as HTML, so that it can be read without JavaScript. */
export const DocsPage = () => {
  const { data: facts } = useApiFacts()
  // URLs of operations were below /docs before the reference had a page of its own.
  useEffect(() => {
    if (location.hash.startsWith('#/')) location.replace(`/docs/reference${location.hash}`)
  }, [])
  return (
    <div className="console guide">
      <nav className="console-nav" aria-label="API guide">
        {GUIDE.map(({ id, title }) => (
          <a key={id} href={`#${id}`}>
            {title}
          </a>
        ))}
        <a href="/docs/reference">API reference</a>
      </nav>
      <Page
        title="API guide"
        lead={
          <>
            Requests for the most common tasks. They work on this service as shown. The{' '}
            <a href="/docs/reference">API reference</a> lists every route, and <a href="/openapi.json">openapi.json</a>{' '}
            has the same for programs. Most of the TypeScript and Python programs use the client{' '}
            <code>parcel-data-client</code>, which is in the folder <code>clients</code> of the service.
          </>
        }
      >
        <Guide facts={facts} />
      </Page>
    </div>
  )
}

/** The URL that the reader uses. Behind a proxy it can differ from the one that the service knows. */
const useOrigin = (onServer: string): string =>
  useSyncExternalStore(
    () => () => {},
    () => location.origin,
    () => onServer,
  )

const Guide = ({ facts }: { facts: ApiFacts | undefined }) => {
  const { key } = useViewer()
  const [language, setLanguage] = useState<Language>('curl')
  const target = { base: useOrigin(facts?.baseUrl ?? ''), key }
  return (
    <>
      <YourKey />
      {GUIDE.map(({ id, title, about, examples }) => (
        <section key={id} id={id} className="stack" aria-labelledby={`${id}-title`}>
          <div>
            <h2 id={`${id}-title`}>{title}</h2>
            <p className="quiet">
              <Prose>{about}</Prose>
            </p>
          </div>
          {examples.map((example) => (
            <ExampleCard
              key={example.id}
              example={example}
              target={target}
              language={language}
              onLanguage={setLanguage}
              response={facts?.responses[example.operation?.id ?? '']}
            />
          ))}
        </section>
      ))}
    </>
  )
}

const YourKey = () => {
  const { account, key } = useViewer()
  return (
    <section className="card" aria-labelledby="key-title">
      <h2 id="key-title">Your key</h2>
      <p>
        Send your key in the header <code>X-Service-Key</code>.{' '}
        {key !== null ? (
          'The examples below contain the key that you typed.'
        ) : account !== null ? (
          <>
            You are signed in, so “Try it” works. For your own programs, make a key on the page{' '}
            <Link href="/app/dashboard">Keys</Link>.
          </>
        ) : (
          <>
            <a href="/auth/sign-in?return_to=/docs">Sign in</a> to make one, or type one that you have. The examples
            then contain your key.
          </>
        )}
      </p>
      <div className="needs-script">
        <KeyForm />
      </div>
    </section>
  )
}
