import type { AnchorHTMLAttributes } from 'react'
import { signInPath } from './account-api'

/** A link to the sign-in page, which returns to this one. */
export const SignInLink = ({ children, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement>) => (
  <a
    {...rest}
    href={signInPath()}
    onClick={({ currentTarget }) => {
      // The URL may have changed without a rendering, as when a map moves.
      currentTarget.href = signInPath()
    }}
  >
    {children}
  </a>
)
