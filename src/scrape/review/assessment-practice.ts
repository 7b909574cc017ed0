/*
 * How states assess, as far as comparisons depend on it (Lincoln Institute of Land Policy, Significant Features of the
 * Property Tax). A state too many costs a finding, a state too few makes every parcel of it one.
 */

/** The assessed value of some class of property is by law a fraction of its market value. */
const FRACTION = new Set('AL AR AZ CO CT GA IL KS LA MI MO MS MT ND NM NV OH OK SC SD TN UT WV WY'.split(' '))

/** Assessed values may rise by so much a year and fall behind market values. */
const CAPPED = new Set('AR AZ CA DC FL GA HI IA MD MI NM NY OK OR SC TX'.split(' '))

export const assessesAtFraction = (state: string): boolean => FRACTION.has(state)

/** An assessed value below the sum of its parts is nothing odd here. */
export const assessesBelowMarket = (state: string): boolean => FRACTION.has(state) || CAPPED.has(state)
