/** What a person asks an agent, the call that answers it, and what the answer must contain. */
export interface Task {
  question: string
  tool: string
  input: Record<string, unknown>
  answer: string | RegExp
}

const SOURCE = 'sample-county'
/** A time before the changes that tasks.test.ts makes. The test replaces it. */
export const BEFORE = '2026-01-02T03:04:05Z'

const search = (question: string, input: object, answer: Task['answer']): Task => ({
  ...{ question, tool: 'search', input: { ...input }, answer },
})
const parcel = (question: string, source_parcel_id: string, answer: Task['answer'], more: object = {}): Task => ({
  ...{ question, tool: 'parcel', input: { source: SOURCE, source_parcel_id, ...more }, answer },
})
const at = (question: string, lon: number, lat: number, answer: Task['answer']): Task => ({
  ...{ question, tool: 'parcels_at', input: { lon, lat }, answer },
})
const inArea = (question: string, box: readonly number[], more: object, answer: Task['answer']): Task => {
  const [west, south, east, north] = box
  return { question, tool: 'parcels_in_area', input: { west, south, east, north, ...more }, answer }
}
const owners = (question: string, owner: string, answer: Task['answer'], more: object = {}): Task => ({
  ...{ question, tool: 'owners_parcels', input: { owner, ...more }, answer },
})
const changes = (question: string, input: object, answer: Task['answer']): Task => ({
  ...{ question, tool: 'changes', input: { ...input }, answer },
})
const coverage = (question: string, input: object, answer: Task['answer']): Task => ({
  ...{ question, tool: 'coverage', input: { ...input }, answer },
})
const order = (question: string, ids: readonly string[], answer: Task['answer']): Task => ({
  question,
  tool: 'order_scrape',
  input: { parcels: ids.map((source_parcel_id) => ({ source: SOURCE, source_parcel_id })) },
  answer,
})

/** Some farms at the western edge of the sample county, and all of it. */
const FARMS = [-120.53, 43.871, -120.5, 43.878] as const
const COUNTY = [-120.5501, 43.8639, -120.4499, 43.9361] as const

/** Around the middle of a farm. */
const TRIANGLE = [
  [-120.517, 43.8725],
  [-120.515, 43.8725],
  [-120.516, 43.8735],
]

/** In the sample county of `bun start`, after the changes of tasks.test.ts. */
export const TASKS: readonly Task[] = [
  search('Who owns 2983 W 40th St?', { query: '2983 w 40th st' }, 'NORTHCOTE SCOTT R & LINH'),
  search('Find the parcel of "notrhcote scott".', { query: 'notrhcote scott' }, '12-0001-0020'),
  search('Whose is parcel 12-0007-0010?', { query: '12-0007-0010' }, 'NGUYEN BENJAMIN M & ROBERT'),
  search('Find parcel 1200070010, written without dashes.', { query: '1200070010' }, '12-0007-0010'),
  search(
    'Who is the registered agent of Larkspur Holdings?',
    { query: 'larkspur holdings', kind: 'companies' },
    'STEPHEN T RUTHSHAW',
  ),
  search(
    'Which companies have Ruthshaw as their registered agent?',
    { query: 'ruthshaw', kind: 'companies' },
    'LARKSPUR HOLDINGS LLC',
  ),
  search(
    'What is the registry number of Sage Hardware?',
    { query: 'sage hardware', kind: 'companies' },
    '"registry_number":"1000020"',
  ),
  search(
    'Is Gray Outfitters LP active?',
    { query: 'gray outfitters lp', kind: 'companies', limit: 1 },
    '"status":"Active"',
  ),
  search(
    'How many parcels does Washington Dairy have?',
    { query: 'washington dairy', kind: 'companies', limit: 1 },
    '"parcels":7',
  ),
  search(
    'Show some land of the school district.',
    { query: 'larkspur school district', kind: 'parcels', limit: 3 },
    'LARKSPUR SCHOOL DISTRICT',
  ),
  search('Does Nelson Equipment own land in Oregon?', { query: 'nelson equipment', state: 'OR' }, '12-0007-0020'),
  search('Find Emma Torres in the sample county.', { query: 'torres emma', source: SOURCE }, '12-0008-0040'),
  search('List parcels on Violet Pl.', { query: 'violet pl', kind: 'parcels', limit: 5 }, 'VIOLET PL'),
  search('Find the estate of Elizabeth Langford.', { query: 'estate of elizabeth langford' }, '12-0011-0020'),
  search('Is there anything about "zzyzx quartz"?', { query: 'zzyzx quartz' }, 'No hits for "zzyzx quartz"'),

  parcel('What is 12-0007-0010 assessed at?', '12-0007-0010', '"assessed_value_usd":250230'),
  parcel('How large is 12-0007-0010?', '12-0007-0010', '"area_acres":77.031'),
  parcel('What may be built on 12-0007-0020?', '12-0007-0020', 'Exclusive farm use'),
  parcel('Where does the owner of 12-0001-0020 get mail?', '12-0001-0020', '1044 PLOVER CT, LARKSPUR OR 97600'),
  parcel(
    'Who are all owners of 12-0001-0020?',
    '12-0001-0020',
    '"owner_names_all":["NORTHCOTE SCOTT R","NORTHCOTE LINH"]',
  ),
  parcel('What is the land of 12-0001-0020 worth, without buildings?', '12-0001-0020', '"value_land_usd":80000'),
  parcel('Who owned 12-0008-0030 before?', '12-0008-0030', 'DALCOTE JOSE E', { as_of: BEFORE }),
  parcel('What did 12-0011-0020 last sell for?', '12-0011-0020', '"price":410000'),
  parcel('Is the tax of 12-0011-0020 paid?', '12-0011-0020', '"status":"unpaid"'),
  parcel('Does 12-0012-0010 still exist?', '12-0012-0010', 'no longer lists it'),
  parcel('Give me a link to 12-0008-0010.', '12-0008-0010', '/app/parcels/sample-county/12-0008-0010'),
  parcel('Show parcel 99-9999.', '99-9999', 'No parcel "99-9999" in sample-county. Try search'),

  at('Whose land is at 43.8745 N, 120.522 W?', -120.522, 43.8745, 'NGUYEN BENJAMIN M & ROBERT'),
  at('Which parcel is at 43.8729 N, 120.516 W?', -120.516, 43.8729, '12-0008-0010'),
  at('Which parcels meet at this corner?', -120.5065183, 43.8922966, '4 parcels at'),
  at('What is in the ocean at 0, 0?', 0, 0, 'No parcel at 0, 0.'),

  inArea('How many parcels are in this box?', FARMS, {}, '26 parcels'),
  inArea(
    'Who owns the lots around 12-0008-0020, whose box `parcel` returns?',
    [-120.5184441, 43.8724214, -120.5178723, 43.8729278],
    { list: true },
    'MUNOZ DEVELOPMENT LLC',
  ),
  inArea('What is the land there used for?', FARMS, {}, '{"land_use":"Farm","parcels":12}'),
  inArea('How many condominiums are in the county?', COUNTY, { land_use: 'condominium' }, '104 parcels'),
  {
    question: 'How many parcels of at least 5 acres are zoned EFU in the sample county?',
    tool: 'parcels_in_area',
    input: { source: SOURCE, zoning: 'EFU', min_acres: 5 },
    answer: '190 parcels; together 9348.2 acres and $47,294,970 assessed.',
  },
  inArea('How many farms are wholly in the box?', FARMS, { land_use: 'farm', wholly_inside: true }, '8 parcels'),
  {
    question: 'Which parcels meet this triangle?',
    tool: 'parcels_in_area',
    input: { polygon: TRIANGLE, list: true },
    answer: '12-0008-0010',
  },
  inArea('Which parks are there?', COUNTY, { land_use: 'park', list: true, limit: 3 }, '12-0037-0010'),
  inArea(
    'How many stores and offices are worth over a million?',
    COUNTY,
    { land_use: 'commercial', min_value_usd: 1_000_000 },
    '74 parcels; ',
  ),
  inArea(
    'List farms of at least 100 acres.',
    COUNTY,
    { land_use: 'farm', min_acres: 100, list: true },
    'BECKWAY CAROL R & LISA',
  ),
  inArea(
    'How many vacant lots have at most a fifth of an acre?',
    COUNTY,
    { land_use: 'vacant', max_acres: 0.2 },
    '152 parcels',
  ),
  inArea('How many parcels are in the county?', COUNTY, {}, 'About 4,999 parcels: narrow by'),
  inArea(
    'List the parcels in the box, beginning with these two.',
    FARMS,
    { list: true, limit: 2 },
    /More: .* after="sample-county\/12-0007-0020"/,
  ),
  inArea(
    'What comes after them?',
    FARMS,
    { list: true, limit: 2, after: 'sample-county/12-0007-0020' },
    '12-0008-0010',
  ),

  owners('How many parcels does Larkspur Holdings own?', 'Larkspur Holdings LLC', '38 parcels'),
  owners('What are they worth together?', 'LARKSPUR HOLDINGS, L.L.C.', '$27,505,680 assessed'),
  owners('What does the city own?', 'City of Larkspur', '29 parcels'),
  owners('List the next parcels of Larkspur Holdings.', 'Larkspur Holdings LLC', '12-0044-0010', {
    limit: 1,
    after: 'sample-county/12-0025-0110',
  }),
  owners('What does Black Hardware own?', 'Black Hardware L L C', '8 parcels'),
  owners('Does Larkspur Holdings own land in Washington?', 'Larkspur Holdings LLC', 'No parcels of an owner', {
    state: 'WA',
  }),
  owners('What does "larkspur" own?', 'larkspur', 'Use search to find how the name is written'),

  changes('What changed since then?', { since: BEFORE }, '4 changes since'),
  changes(
    'What happened to 12-0008-0030?',
    { source: SOURCE, source_parcel_id: '12-0008-0030' },
    '"owner_name":{"former":"DALCOTE JOSE E","new":"JUNIPER ADA"}',
  ),
  changes('Which parcels were sold since then?', { field: 'owner_name', since: BEFORE }, '1 change since'),
  changes('What did Ada Juniper buy?', { owner: 'juniper ada', since: BEFORE }, '12-0008-0030'),
  changes(
    'What changed first in the sample county?',
    { source: SOURCE, since: BEFORE, limit: 1 },
    /1 change since .*\nMore: .* after=\d+/,
  ),

  coverage('Is Larkspur County covered, and how many parcels are there?', { county: 'larkspur' }, '"parcels":4999'),
  coverage('Is Texas covered?', { state: 'TX' }, '0 sources with 0 parcels'),

  order('Get fresh data of these two.', ['12-0007-0010', '12-0007-0020'], '2 scrapes queued.'),
]
