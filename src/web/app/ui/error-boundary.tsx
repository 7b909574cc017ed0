import { Component, type ReactNode } from 'react'
import { Button } from './button'

/** The code of a page could not be fetched: there is no connection, or the service has a newer version. */
export class PageNotFetched extends Error {
  constructor(cause: unknown) {
    super('This page could not be loaded. Check your network.', { cause })
    this.name = 'PageNotFetched'
  }
}

/** When a page throws, the rest of the app stays, and the page can be tried again. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  /** React keeps a failed import, so only the browser can fetch the code again. */
  tryAgain = () => {
    if (this.state.error instanceof PageNotFetched) location.reload()
    else this.setState({ error: null })
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <main className="page" id="main">
        <h1>This page cannot be shown now</h1>
        <p className="notice bad" role="alert">
          {error.message}
        </p>
        <div className="actions">
          <Button kind="primary" onClick={this.tryAgain}>
            Try again
          </Button>
        </div>
      </main>
    )
  }
}
