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
  const copy = async () => setTold((await copyText(typeof text === 'string' ? text : text())) ? 'copied' : 'failed')
  const failed = isIconOnly ? 'The browser refused' : 'Select it and copy'
  return (
    <Button onClick={copy} title={isIconOnly ? label : undefined}>
      <Icon name={told === 'copied' ? 'check' : icon} />
      <span aria-live="polite" className={isIconOnly && told !== 'failed' ? 'unseen' : undefined}>
        {told === 'copied' ? 'Copied' : told === 'failed' ? failed : label}
      </span>
    </Button>
  )
}

/** Returns whether the text is in the clipboard. */
const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

/** Without TLS, except on localhost, browsers have no `navigator.clipboard`. The old command works there. */
const copyByCommand = (text: string): boolean => {
  let isCopied = false
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    isCopied = event.clipboardData !== null
  }
  document.addEventListener('copy', fill)
  document.execCommand('copy')
  document.removeEventListener('copy', fill)
  return isCopied
}
