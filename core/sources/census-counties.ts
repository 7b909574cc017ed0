import { countyKey } from './county-names'

/** FIPS codes of states and territories, with their USPS codes (US Census Bureau, American National Standards Institute codes). */
const STATES = new Map(
  '01AL 02AK 04AZ 05AR 06CA 08CO 09CT 10DE 11DC 12FL 13GA 15HI 16ID 17IL 18IN 19IA 20KS 21KY 22LA 23ME 24MD 25MA 26MI 27MN 28MS 29MO 30MT 31NE 32NV 33NH 34NJ 35NM 36NY 37NC 38ND 39OH 40OK 41OR 42PA 44RI 45SC 46SD 47TN 48TX 49UT 50VT 51VA 53WA 54WV 55WI 56WY 60AS 66GU 69MP 72PR 78VI'
    .split(' ')
    .map((code) => [code.slice(0, 2), code.slice(2)]),
)

/** The Census names an independent city, such as Baltimore, like the county. */
const CITY = / city$/

/** A county of the US Census Bureau's files: `id` is its FIPS code of five digits. */
interface CensusCounty {
  id?: string | number | undefined
  properties?: { name?: string } | undefined
}

/** Finds counties of the US Census Bureau by their `countyKey`. An independent city and a county with the same name are both found. */
export const findByCountyKey = <County extends CensusCounty>(counties: readonly County[]) => {
  const byKey = Map.groupBy(counties, ({ id, properties }) =>
    countyKey(STATES.get(String(id).slice(0, 2)) ?? '', properties?.name ?? ''),
  )
  return (key: string): readonly County[] => byKey.get(key) ?? byKey.get(key.replace(CITY, '')) ?? []
}
