import { type ReactNode, useEffect, useRef } from 'react'

interface Props {
  title: string
  /** What this page is for, in a sentence. */
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

/** A page's main part, with its heading. It takes the focus after a change of pages, as a page does that is loaded. */
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
