import { Component, type ReactNode } from 'react'
import { Button } from './button'

/** When a page throws, the rest of the app stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <main className="page" id="main">
        <h1>This page failed</h1>
        <p className="notice bad" role="alert">
          {error.message}
        </p>
        <div className="actions">
          <Button kind="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        </div>
      </main>
    )
  }
}
