/** Property without its own land: units of a condominium, homes on rented ground, rights. It has no boundary, or shares one. */
const NO_LAND =
  /condo|\bunits?\b|time.?share|co-?op|mobile|manufactured|mineral|personal prop|possessory|leasehold|air rights|boat|\bslip\b/i

export const hasNoLand = (landUseClass: string | null): boolean => landUseClass !== null && NO_LAND.test(landUseClass)
