import { CopyButton } from './copy-button'

/** Copies the page's address, which has all that the page shows. */
export const ShareButton = () => <CopyButton text={() => location.href} label="Share" icon="link" isIconOnly />
