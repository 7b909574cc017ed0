import { Component, type ComponentType, type ReactNode, useEffect } from 'react'
import { Button } from '../button'

/** The code of a page, or of its map, could not be fetched: there is no connection, or the service has a newer version. */
export class PageNotFetched extends Error {
  constructor(cause: unknown) {
    super('This page could not be loaded. Check your network.', { cause })
    this.name = 'PageNotFetched'
  }
}

export interface Failure {
  error: Error
  onTryAgain: () => void
}

interface Props {
  children: ReactNode
  /** What is shown in place of the part that failed. */
  fallback?: ComponentType<Failure>
}

/** When a page, or a part of it, throws, the rest of the app stays, and the part can be tried again. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
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
    const { children, fallback: Fallback = FailedPage } = this.props
    return error === null ? children : <Fallback error={error} onTryAgain={this.tryAgain} />
  }
}

const FailedPage = ({ error, onTryAgain }: Failure) => {
  useEffect(() => {
    // The page tries again by itself when the network is back. Nothing was typed in a page that never opened.
    if (!(error instanceof PageNotFetched)) return
    addEventListener('online', onTryAgain)
    return () => removeEventListener('online', onTryAgain)
  }, [error, onTryAgain])
  return (
    <main className="page" id="main" tabIndex={-1}>
      <h1>This page cannot be shown now</h1>
      <p className="notice bad" role="alert">
        {error.message}
      </p>
      <div className="actions">
        <Button kind="primary" onClick={onTryAgain}>
          Try again
        </Button>
      </div>
    </main>
  )
}
