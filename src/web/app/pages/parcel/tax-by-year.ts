interface Bill {
  tax_year: number
  billed?: number
  due?: number
}

/** The sum of each year's bills, for a chart. A year with a bill whose amount is unknown is left out. */
export const taxByYear = (bills: readonly Bill[], of: 'billed' | 'due'): { year: number; value: number }[] =>
  [...Map.groupBy(bills, ({ tax_year }) => tax_year)].flatMap(([year, ofYear]) => {
    const amounts = ofYear.flatMap((bill) => bill[of] ?? [])
    return amounts.length < ofYear.length ? [] : [{ year, value: amounts.reduce((sum, amount) => sum + amount, 0) }]
  })
