import { useEffect, useState } from 'react'
import { Button } from './button'
import { Icon, type IconName } from './icon'

const TOLD_MS = 2_000

export const CopyButton = ({
  text,
  label,
  icon = 'copy',
  isIconOnly = false,
}: {
  /** A function is called when the button is pressed. */
  text: string | (() => string)
  label: string
  icon?: IconName
  isIconOnly?: boolean
}) => {
  const [told, setTold] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (told === null) return
    const timer = setTimeout(() => setTold(null), TOLD_MS)
    return () => clearTimeout(timer)
  }, [told])
  const copy = () =>
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setTold('copied'),
      () => setTold('failed'),
    )
  return (
    <Button onClick={copy} title={isIconOnly ? label : undefined}>
      <Icon name={told === 'copied' ? 'check' : icon} />
      <span aria-live="polite" className={isIconOnly ? 'unseen' : undefined}>
        {told === 'copied' ? 'Copied' : told === 'failed' ? 'Select it and copy' : label}
      </span>
    </Button>
  )
}
