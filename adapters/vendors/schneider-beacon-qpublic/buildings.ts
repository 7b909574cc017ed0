import type { Region } from '../../reading/region'
import { present, readCount, readSquareFeet, readText, readYear } from '../../reading/values'
import type { Improvement } from '../../scrape'
import { findPair, type Pair, readPairs } from './pairs'

/** A building's effective year and its total area are different facts and are not read. */
const LABELS = {
  type: /^(?:style|building type)$/,
  year: /^(?:actual )?year built$/,
  area: /^(?:heated square feet|heated area|finished sq ft)$/,
  bedrooms: /^(?:number of )?bedrooms$/,
  bathrooms: /^(?:bathrooms|baths)$/,
}

/** A list of buildings, each with one or two tables of facts. */
export const readBuildings = (page: Region): Improvement[] | undefined => {
  const parts = new Map<string, Pair[]>()
  for (const part of page.all('[id*="_lstBuildings_ctl"][id$="_divSummary"]')) {
    const building = /_lstBuildings_(ctl\d+)_/.exec(part.attribute('id') ?? '')?.[1] ?? ''
    parts.set(building, [...(parts.get(building) ?? []), ...readPairs(part)])
  }
  if (parts.size === 0) return undefined
  return [...parts.values()].map((pairs) => {
    const text = (name: keyof typeof LABELS) => findPair(pairs, LABELS[name])?.text
    return present<Improvement>({
      type: readText(text('type')),
      year_built: readYear(text('year')),
      living_area_sq_ft: readSquareFeet(text('area')),
      bedrooms: readCount(text('bedrooms')),
      bathrooms: readCount(text('bathrooms')),
    })
  })
}
