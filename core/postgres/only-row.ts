/**
 * The row of a statement that always returns one, such as an aggregate or an INSERT.
 *
 * @throws Error if there is none: the statement has a bug
 */
export const onlyRow = <Row>([row]: readonly Row[]): Row => {
  if (row === undefined) throw new Error('a statement that always returns a row returned none')
  return row
}
