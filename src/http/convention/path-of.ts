/** The unchanged path of a request, with its escapes and without the query. */
export const pathOf = ({ url }: Request): string => {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const end = url.indexOf('?', start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}
