/*
 * How states assess property, as far as the comparisons depend on it (Lincoln Institute of Land Policy, Significant Features of the
 * Property Tax). Listing a state by mistake hides findings; missing a state produces a finding for every parcel in it.
 */

/** By law, the assessed value of some class of property is a fraction of its market value. */
const FRACTION = new Set('AL AR AZ CO CT GA IL KS LA MI MO MS MT ND NM NV OH OK SC SD TN UT WV WY'.split(' '))

/** The yearly increase of assessed values is capped, so they may fall behind market values. */
const CAPPED = new Set('AR AZ CA DC FL GA HI IA MD MI NM NY OK OR SC TX'.split(' '))

export const assessesAtFraction = (state: string): boolean => FRACTION.has(state)

/** Whether an assessed value below the sum of its parts is normal in this state. */
export const assessesBelowMarket = (state: string): boolean => FRACTION.has(state) || CAPPED.has(state)
