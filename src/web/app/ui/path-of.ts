/** A URL of the service without its host: the page may have been opened by another host name than BASE_URL. */
export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}
