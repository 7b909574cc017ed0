import type { ButtonHTMLAttributes, Ref } from 'react'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  ref?: Ref<HTMLButtonElement>
  kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  /** Work is in progress: the button is disabled and shows it. */
  isBusy?: boolean
}

export const Button = ({
  kind = 'plain',
  isBusy = false,
  type = 'button',
  className = '',
  disabled,
  ...rest
}: Props) => (
  <button
    {...rest}
    type={type}
    className={`button ${kind} ${className}`}
    disabled={disabled || isBusy}
    aria-busy={isBusy || undefined}
  />
)
