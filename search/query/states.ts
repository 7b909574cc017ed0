/** USPS codes of the 50 states, the District of Columbia and the territories, with their names as people type them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  AL: ['alabama'],
  AK: ['alaska'],
  AZ: ['arizona'],
  AR: ['arkansas'],
  CA: ['california'],
  CO: ['colorado'],
  CT: ['connecticut'],
  DE: ['delaware'],
  DC: ['district of columbia', 'washington dc', 'washington d c'],
  FL: ['florida'],
  GA: ['georgia'],
  HI: ['hawaii'],
  ID: ['idaho'],
  IL: ['illinois'],
  IN: ['indiana'],
  IA: ['iowa'],
  KS: ['kansas'],
  KY: ['kentucky'],
  LA: ['louisiana'],
  ME: ['maine'],
  MD: ['maryland'],
  MA: ['massachusetts'],
  MI: ['michigan'],
  MN: ['minnesota'],
  MS: ['mississippi'],
  MO: ['missouri'],
  MT: ['montana'],
  NE: ['nebraska'],
  NV: ['nevada'],
  NH: ['new hampshire'],
  NJ: ['new jersey'],
  NM: ['new mexico'],
  NY: ['new york'],
  NC: ['north carolina'],
  ND: ['north dakota'],
  OH: ['ohio'],
  OK: ['oklahoma'],
  OR: ['oregon'],
  PA: ['pennsylvania'],
  RI: ['rhode island'],
  SC: ['south carolina'],
  SD: ['south dakota'],
  TN: ['tennessee'],
  TX: ['texas'],
  UT: ['utah'],
  VT: ['vermont'],
  VA: ['virginia'],
  WA: ['washington'],
  WV: ['west virginia'],
  WI: ['wisconsin'],
  WY: ['wyoming'],
  AS: ['american samoa'],
  GU: ['guam'],
  MP: ['northern mariana islands'],
  PR: ['puerto rico'],
  VI: ['virgin islands', 'us virgin islands'],
}

export const STATE_CODES: ReadonlySet<string> = new Set(Object.keys(NAMES))

const codeByName: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([code, names]) => names.map((name) => [name, code] as const)),
)

/** The code in upper case, or null when there is no such state. */
export const findStateByCode = (text: string): string | null => {
  const code = text.toUpperCase()
  return STATE_CODES.has(code) ? code : null
}

/** The code of a state's full name (any case, one space between words), or null. */
export const findStateByName = (name: string): string | null => codeByName.get(name.toLowerCase()) ?? null
