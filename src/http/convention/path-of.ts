/** The path of a request as it was sent, with its escapes, without the query. */
export const pathOf = ({ url }: Request): string => {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}
