import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  title: string
  /** The purpose of the page, in a sentence. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** On Back, the browser restores the scroll position itself. */
let isGoingBack = false
addEventListener('popstate', () => {
  isGoingBack = true
})
let isFirst = true

/** The main part of a page, with its heading. It takes the focus when the page changes, as after a page load. */
export const Page = ({ title, lead, actions, children }: Props) => {
  useTitle(title)
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isFirst) main.current?.focus({ preventScroll: true })
    if (!isFirst && !isGoingBack) scrollTo(0, 0)
    isFirst = false
    isGoingBack = false
  }, [])
  return (
    <main ref={main} className="page" id="main" tabIndex={-1}>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="actions">{actions}</div>}
      </header>
      {children}
    </main>
  )
}

export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Parcels`
  }, [title])
}
