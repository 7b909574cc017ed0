/** Sets query parameters of the page's address, and removes those that are null. The page does not load again. */
export const changeAddress = (params: Readonly<Record<string, string | null>>): void => {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(params)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  history.replaceState(history.state, '', url)
}
