import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LISTED_PARCELS } from '../../core/parcels/filter'
import type { Candidate, EntityCandidate, ParcelCandidate } from '../../search/engine'
import { createAnnotator } from '../../search/hits'
import { correct } from '../../search/query/correct-query'
import { parseQuery, type SearchParams, type SearchRequest } from '../../search/query/query'
import { createVocabulary } from '../../search/query/vocabulary'
import { distanceKm } from '../../search/rank/distance-km'
import { createExplainer } from '../../search/rank/explain'
import { rankCandidates, rankInTurns } from '../../search/rank/rank'

let nextId = 1
const parcel = (fields: Partial<ParcelCandidate>): ParcelCandidate => ({
  kind: 'parcel',
  id: `p${nextId++}`,
  source: 'sample',
  sourceParcelId: `id-${nextId}`,
  state: 'OR',
  countyName: 'Sample',
  ownerName: null,
  ownerMailingAddress: null,
  situsAddress: null,
  situsCity: null,
  situsState: 'OR',
  situsZip: null,
  assessedValue: null,
  lon: null,
  lat: null,
  ...fields,
})
const entity = (fields: Partial<EntityCandidate>): EntityCandidate => ({
  kind: 'entity',
  id: `e${nextId++}`,
  jurisdiction: 'OR',
  registryNumber: '1',
  name: '',
  entityType: null,
  status: null,
  registeredAgentName: null,
  linkedParcelCount: 0,
  ...fields,
})
const readingOf = (q: string, more: Partial<SearchParams> = {}) => {
  const [request] = parseQuery({
    q,
    limit: 20,
    types: ['parcels', 'entities'],
    filter: { ...LISTED_PARCELS, state: 'OR' },
    lat: null,
    lon: null,
    proximityKm: 50,
    group: null,
    ...more,
  })
  if (request === undefined) throw new Error('a query has a reading')
  return request
}
const rank = (q: string, candidates: readonly Candidate[], more: Partial<SearchParams> = {}) =>
  rankCandidates(readingOf(q, more), candidates)

const roll = {
  smith: parcel({ ownerName: 'SMITH JOHN A', situsAddress: '1064 SE 56TH AVE', situsCity: 'HILLSBORO' }),
  smythe: parcel({ ownerName: 'SMYTHE JOAN', situsAddress: '12 SE OAK ST', situsCity: 'PORTLAND' }),
  smithers: parcel({ ownerName: 'SMITHERS CARL', situsAddress: '1065 SE 56TH AVE', situsCity: 'PORTLAND' }),
  smithPortland: parcel({ ownerName: 'SMITH JOHN', situsAddress: '900 NW OAK CT', situsCity: 'PORTLAND' }),
  main: parcel({ ownerName: 'LEE ANNA', situsAddress: '123 N MAIN ST #4', situsCity: 'HILLSBORO' }),
  mainWest: parcel({ ownerName: 'TOWN MAIN LLC', situsAddress: '123 W MAPLE DR', situsCity: 'HILLSBORO' }),
  callaghan: parcel({ ownerName: "O'CALLAGHAN PAT", situsAddress: '7 PINE RD', situsCity: 'SALEM' }),
  mailing: parcel({ ownerName: 'DOE JANE', ownerMailingAddress: '77 WILLOW BEND, BEND', situsAddress: '1 ELM ST' }),
  acme: entity({ name: 'ACME HOLDINGS LLC', registeredAgentName: 'ZIMMER PAULA' }),
}

test.each([
  ['smith john a', 'smith'],
  ['john smith', 'smithPortland'],
  ['smith', 'smithPortland'],
  ['smith hillsboro', 'smith'],
  ['smith john portland', 'smithPortland'],
  ['smithe joan', 'smythe'],
  ['smit 1064', 'smith'],
  ['1065 se 56th', 'smithers'],
  ['1065 southeast 56th avenue ', 'smithers'],
  ['123 n main street apt 4', 'main'],
  ['123 north main', 'main'],
  ['900 nw oak court ', 'smithPortland'],
  ['ocallaghan', 'callaghan'],
  ["o'callaghan", 'callaghan'],
  ['77 willow bend', 'mailing'],
  ['acme holdings', 'acme'],
  ['acme holdings limited liability company ', 'acme'],
  ['paula zimmer', 'acme'],
] as [string, keyof typeof roll][])('"%s" finds %s first', (q, first) => {
  expect(rank(q, Object.values(roll))[0]?.candidate.id).toBe(roll[first].id)
})

const firstOf = (q: string, ...candidates: Partial<ParcelCandidate>[]) => {
  const [best] = rank(q, candidates.map(parcel))
  return best?.candidate.kind === 'parcel' ? (best.candidate.situsAddress ?? best.candidate.ownerName) : null
}

test.each([
  [
    '1064 se johnson',
    { ownerName: 'JOHNSON ADA', situsAddress: '1064 SE OAK ST' },
    { situsAddress: '1064 SE JOHNSON ST' },
  ],
  [
    'se johnson st',
    { ownerName: 'JOHNSON STEVEN', situsAddress: '12 SE 6TH CT' },
    { situsAddress: '12 SE JOHNSON ST' },
  ],
  [
    'first ave salem',
    { ownerName: 'FIRST CHURCH OF SALEM', situsAddress: '9 AVENUE L', situsCity: 'SALEM' },
    { situsAddress: '7 FIRST AVE', situsCity: 'SALEM' },
  ],
  [
    'c st se',
    { ownerName: 'ST JUNIPER ADA C', situsAddress: '9 T ST NW', situsCity: 'SEDGEFIELD' },
    { situsAddress: '7 C ST SE' },
  ],
  [
    'n 875 e salem',
    { situsAddress: '7 E 875 N', situsCity: 'SALEM' },
    { situsAddress: '9 N 875 E', situsCity: 'SALEM' },
  ],
  ['900 south', { situsAddress: '899 E SOUTH WAY' }, { situsAddress: '49 W 900 S' }],
  ['1010 oak st', { situsAddress: '92-1886 OAK ST' }, { situsAddress: '1010 OAK RD' }],
])('"%s" finds a whole address before a name and another address', (q, scattered, whole) => {
  expect(firstOf(q, scattered, whole)).toBe(whole.situsAddress)
})

test('a number finds the houses with it before the ids that begin with it, but not if it has a hyphen', () => {
  const candidates = [
    parcel({ sourceParcelId: '163-19', situsAddress: '4 ELM ST' }),
    parcel({ sourceParcelId: '8-8', situsAddress: '163 ELM ST' }),
    parcel({ sourceParcelId: '8-9', situsAddress: '163-1 ELM ST' }),
  ]
  expect(rank('163', candidates)[0]?.candidate).toMatchObject({ sourceParcelId: '8-8' })
  expect(rank('163-1', candidates)[0]?.candidate).toMatchObject({ sourceParcelId: '163-19' })
})

test('an initial matches a name that begins with it', () => {
  expect(firstOf('j smith ', { ownerName: 'SMITH ADA' }, { ownerName: 'SMITH JOHN' })).toBe('SMITH JOHN')
})

test('a PO box is found in mailing addresses, not in names', () => {
  const boxed = { ownerName: 'LEE ANNA', ownerMailingAddress: 'PO BOX 386, SALEM OR' }
  expect(firstOf('p o box 386', { ownerName: 'PAYNE O BOX', situsAddress: '386 W 7TH ST' }, boxed)).toBe('LEE ANNA')
})

test('a ZIP code is compared with the ZIP code of the parcel', () => {
  const [best] = rank('oak st 97301 ', [
    parcel({ situsAddress: '12 OAK ST', situsZip: '97302' }),
    parcel({ situsAddress: '14 OAK ST', situsZip: '97301-1234' }),
  ])
  expect(best?.candidate).toMatchObject({ situsAddress: '14 OAK ST' })
})

test.each([
  ['12-0001-00', '12-0001-0010'],
  ['12-1-10', '12-0001-0010'],
  ['12-0001-0011', '12-0001-0010'],
])('the incomplete or wrong id "%s" finds %s, and explains it', (q, sourceParcelId) => {
  const request = readingOf(q)
  const [best] = rankCandidates(request, [parcel({ situsAddress: '99 OAK ST' }), parcel({ sourceParcelId })])
  if (best === undefined) throw new Error('nothing was found')
  expect(best.candidate).toMatchObject({ sourceParcelId })
  expect(best.bonuses.exact_parcel_id).toBe(0)
  const { words } = createExplainer(request)(best.candidate)
  expect(words).toMatchObject([{ field: 'parcelId', weight: 3 }])
  expect((words[0]?.similarity ?? 0) * 3).toBeCloseTo(best.text, 9)
})

describe('the parts of a score', () => {
  test('a name equal to the query has the full weight and the name bonus', () => {
    expect(rank('smith john ', [roll.smithPortland])[0]).toMatchObject({
      text: 3,
      bonuses: { exact_prefix: 0.5 },
      score: 3.5,
    })
  })

  test('an address equal to the query has its weight and its bonus', () => {
    expect(rank('1 elm st ', [roll.mailing])[0]).toMatchObject({ text: 2, bonuses: { exact_prefix: 0.3 }, score: 2.3 })
  })

  test('a name equal only after normalization has the weight and bonus of the normalized name', () => {
    const [ranked] = rank('oneil pat ', [parcel({ ownerName: "O'NEIL PAT" })])
    expect(ranked).toMatchObject({ text: 2.5, bonuses: { exact_prefix: 0.4 } })
  })

  test('an exact parcel id adds 5, with or without punctuation', () => {
    const exact = parcel({ sourceParcelId: '1N1-30 CB.100' })
    expect(rank('1n130cb100', [exact])[0]).toMatchObject({ bonuses: { exact_parcel_id: 5 }, score: 5 })
  })

  test('if ids are equal without punctuation, the typed one comes first', () => {
    const typed = parcel({ source: 'b', sourceParcelId: '221-35', ownerName: 'ACME LLC' })
    const other = parcel({ source: 'a', sourceParcelId: '22-135', situsAddress: '221 GORE ST #35' })
    const ranked = rank('221-35', [other, typed])
    expect(ranked.map(({ candidate }) => candidate)).toEqual([typed, other])
    expect(ranked[0]).toMatchObject({ text: 3, bonuses: { exact_parcel_id: 5 }, score: 8 })
  })

  test('if house numbers have equal trigram similarity, the one that differs in a single digit comes first', () => {
    const near = parcel({ sourceParcelId: '2', situsAddress: '27950 OAK RD' })
    const far = parcel({ sourceParcelId: '1', situsAddress: '27925 OAK RD' })
    expect(rank('27940 oak rd ', [far, near]).map(({ candidate }) => candidate)).toEqual([near, far])
  })

  test('proximity adds 1.5 at the place, half of it halfway, and nothing at the edge and beyond', () => {
    const at = (lat: number) => parcel({ ownerName: 'SMITH', lat, lon: -122 })
    const bonus = (lat: number) =>
      rank('smith', [at(lat)], { lat: 45, lon: -122, proximityKm: 50 })[0]?.bonuses.proximity ?? -1
    const kmPerDegree = distanceKm({ lat: 45, lon: -122 }, { lat: 46, lon: -122 })
    expect(kmPerDegree).toBeCloseTo((6371.0088 * Math.PI) / 180, 9)
    expect(bonus(45)).toBe(1.5)
    expect(bonus(45 + 25 / kmPerDegree)).toBeCloseTo(0.75, 9)
    expect(bonus(45 + 50 / kmPerDegree)).toBeCloseTo(0, 9)
    expect(bonus(47)).toBe(0)
  })

  test('parcels without geometry and entities get no proximity', () => {
    const ranked = rank('acme', [roll.acme, parcel({ ownerName: 'ACME' })], { lat: 45, lon: -122 })
    expect(ranked.map(({ bonuses }) => bonuses.proximity)).toEqual([0, 0])
  })
})

test('the nearer of two equal names comes first', () => {
  const far = parcel({ ownerName: 'SMITH JOHN', lat: 44, lon: -122 })
  const near = parcel({ ownerName: 'SMITH JOHN', lat: 45.01, lon: -122 })
  expect(rank('smith john', [far, near], { lat: 45, lon: -122 })[0]?.candidate).toBe(near)
})

test('with a place, a neighbor comes before a namesake with a shorter name some streets away', () => {
  const namesake = parcel({ ownerName: 'SMITH JOHN', lat: 45.01, lon: -122 })
  const neighbor = parcel({ ownerName: 'SMITH CATHERINE & BARTHOLOMEW', lat: 45, lon: -122 })
  expect(rank('smith', [namesake, neighbor], { lat: 45, lon: -122 })[0]?.candidate).toBe(neighbor)
  expect(rank('smith', [namesake, neighbor])[0]?.candidate).toBe(namesake)
})

describe('a word that is far more often a street than a name', () => {
  const request = { ...readingOf('maple'), isStreetName: true }
  const owner = parcel({ ownerName: 'MAPLE ADA', situsAddress: '7 ELM ST' })
  const street = parcel({ ownerName: 'JUNIPER ADA', situsAddress: '12 MAPLE ST' })

  test('finds the street before names', () => {
    const candidates = [owner, street]
    expect(rankCandidates(request, candidates)[0]?.candidate).toBe(street)
    expect(rankCandidates({ ...request, isStreetName: false }, candidates)[0]?.candidate).toBe(owner)
  })

  test('finds the street of an owner with the same name', () => {
    const both = parcel({ ownerName: 'MAPLE LLC', situsAddress: '12 MAPLE ST' })
    expect(createExplainer(request)(both).words).toMatchObject([{ field: 'address' }])
  })

  test('finds a name that has no other words first', () => {
    const whole = parcel({ ownerName: 'MAPLE' })
    expect(rankCandidates(request, [street, whole])[0]?.candidate).toBe(whole)
  })
})

test('a street comes before an owner with its name, even if it does not have the house number', () => {
  const washington = parcel({ situsAddress: '852 W WASHINGTON ST', ownerName: 'ELM ADA' })
  const owner = parcel({ situsAddress: '324 W 10TH ST', ownerName: 'WASHINGTON RICHARD N & SUSAN' })
  expect(rank('9999 washington st', [owner, washington])[0]?.candidate).toBe(washington)
})

describe('if a street lacks the house number', () => {
  const at = (situsAddress: string) => parcel({ situsAddress })
  const addresses = (
    q: string,
    candidates: readonly ParcelCandidate[],
    corrections: SearchRequest['corrections'] = [],
  ) =>
    rankCandidates({ ...readingOf(q), corrections }, candidates).map(({ candidate }) =>
      candidate.kind === 'parcel' ? candidate.situsAddress : null,
    )

  test('the nearest houses come first, also on a misspelled street', () => {
    const street = [at('9 OAK ST'), at('92 OAK ST'), at('120 OAK ST'), at('63 OAK ST'), at('57-67 OAK ST')]
    const nearest = ['57-67 OAK ST', '63 OAK ST', '92 OAK ST', '9 OAK ST', '120 OAK ST']
    expect(addresses('62 oak st', street)).toEqual(nearest)
    expect(addresses('62 okk st', street, [{ words: ['62', 'oak', 'st'], cost: 1 }])).toEqual(nearest)
  })

  test('houses a few numbers away come before one with a wrong or missing digit, and that one before others', () => {
    const street = [at('430 OAK ST'), at('712 OAK ST'), at('410 OAK ST')]
    expect(addresses('412 oak st', street)).toEqual(['410 OAK ST', '712 OAK ST', '430 OAK ST'])
    expect(addresses('41 oak st', [at('61 OAK ST'), at('412 OAK ST')])).toEqual(['412 OAK ST', '61 OAK ST'])
  })

  test('a range that contains the number comes first, even before a house with two digits swapped', () => {
    const street = [at('14 OAK SQ'), at('15 OAK ST'), at('39-41 OAK ST'), at('11-15 OAK ST'), at('12-16 OAK ST')]
    const swapped = [{ words: ['41', 'oak', 'st'], cost: 1.5 }]
    expect(addresses('14 oak st', street, swapped)[0]).toBe('12-16 OAK ST')
    expect(addresses('14 oak st', [...street, at('14 OAK ST')], swapped).slice(0, 2)).toEqual([
      '14 OAK ST',
      '12-16 OAK ST',
    ])
    expect(addresses('13 oak st', street)[0]).toBe('11-15 OAK ST')
    expect(addresses('1298 oak st', [at('1297 OAK ST'), at('1294-98 OAK ST')])[0]).toBe('1294-98 OAK ST')
    const swappedEnd = [{ words: ['161', 'oak', 'st'], cost: 1.5 }]
    expect(addresses('116 oak st', [at('161 OAK ST'), at('112-16 OAK ST')], swappedEnd)[0]).toBe('112-16 OAK ST')
  })

  test('a far house comes before an owner with the name of the street, even at a similar number', () => {
    const owner = parcel({ ownerName: 'STILES PETER', situsAddress: '276 ELM AVE' })
    const house = at('19 PETERS ST')
    expect(rank('676 peters st', [owner, house])[0]?.candidate).toBe(house)
  })
})

test('for an intersection, the lots of both streets come first that are nearest to the other street', () => {
  const at = (situsAddress: string, lon: number, lat: number) => parcel({ situsAddress, lon, lat })
  const farMaple = at('900 MAPLE ST', -122, 45.2)
  const corner = at('12 MAPLE ST', -122, 45)
  const alder = at('7 W ALDER AVE', -122, 45.001)
  const farAlder = at('800 W ALDER AVE', -122.3, 45.001)
  const owner = parcel({ ownerName: 'MAPLE STREET LLC', situsAddress: '3 ELM RD' })
  const unplaced = parcel({ situsAddress: '1 MAPLE ST' })
  const ranked = rank('maple st & alder ave', [farMaple, owner, unplaced, farAlder, alder, corner])
  const [first, second, ...others] = ranked.map(({ candidate }) => candidate)
  expect([first, second]).toContain(corner)
  expect([first, second]).toContain(alder)
  expect(others).toEqual([farMaple, farAlder, unplaced, owner])
})

describe('a street without a house number', () => {
  const street = parcel({ ownerName: null, situsAddress: '5 ALDER ST' })

  test('comes before an owner with its name and only letters of its suffix', () => {
    const owner = parcel({ ownerName: 'JUNIPER ADA & SHIRLEY ALDER', situsAddress: '653 E 5TH ST' })
    for (const q of ['alder st', 'alder st ', 'alder street']) {
      expect(rank(q, [owner, street])[0]?.candidate).toBe(street)
    }
    const complete = parcel({ ownerName: 'ALDER STEPHEN', situsAddress: '9 OAK AVE' })
    expect(rank('alder st', [street, complete])[0]?.candidate).toBe(complete)
  })

  test('is as good with its suffix in full, while it is typed and after', () => {
    for (const q of ['alder street', 'alder street ', 'alder st ']) expect(rank(q, [street])[0]?.coverage).toBe(1)
  })

  test('is as good with the direction after its suffix in full', () => {
    const north = parcel({ situsAddress: '180 ALDER ST N' })
    for (const q of ['180 alder st north', 'alder st north']) expect(rank(q, [north])[0]?.coverage).toBeCloseTo(1, 9)
  })
})

test('a number before a street named like a state is an id only with the same punctuation', () => {
  const filter = LISTED_PARCELS
  const street = parcel({ state: 'MA', situsAddress: '757 MASSACHUSETTS AVE' })
  const other = parcel({ state: 'MA', sourceParcelId: '75-7' })
  const exact = parcel({ state: 'MA', sourceParcelId: '757' })
  expect(rank('757 massachusetts', [other, street], { filter })[0]?.candidate).toBe(street)
  expect(rank('757 massachusetts', [street, exact], { filter })[0]?.candidate).toBe(exact)
  expect(rank('757 ma', [street, other], { filter })[0]?.candidate).toBe(other)
})

test('ties: an exact id, then parcels before entities, then source and id by code point', () => {
  const twin = (source: string, sourceParcelId: string) => parcel({ source, sourceParcelId, ownerName: 'SAME NAME' })
  const registered = entity({ name: 'SAME NAME' })
  const candidates = [
    registered,
    twin('b', '1'),
    twin('a', '\u{1F600}'),
    twin('a', '\uFFFD'),
    twin('a', '10'),
    twin('a', '2'),
  ]
  expect(
    rank('same name', candidates).map(({ candidate }) =>
      candidate.kind === 'parcel' ? `${candidate.source} ${candidate.sourceParcelId}` : 'entity',
    ),
  ).toEqual(['a 10', 'a 2', 'a \uFFFD', 'a \u{1F600}', 'b 1', 'entity'])
})

test('if scores are equal, a field that equals the query comes first, then one that has its words in order', () => {
  const others = parcel({ source: 'a', ownerName: 'MATTHEW BOYER' })
  const unfinished = parcel({ source: 'a', ownerName: 'BOYER MATTHEW &' })
  const whole = parcel({ source: 'z', ownerName: 'BOYER MATTHEW' })
  const corrections = [{ words: ['boyer', 'matthew'], cost: 1 }]
  for (const q of ['boyer matthew', 'boyer mathew']) {
    const request = { ...readingOf(q), corrections: q.includes('tt') ? [] : corrections }
    const ranked = rankCandidates(request, [others, unfinished, whole])
    expect(ranked.map(({ candidate }) => candidate)).toEqual([whole, unfinished, others])
    expect(ranked[0]?.score).toBe(ranked[1]?.score ?? 0)
  }
})

describe('a query of a word of some record and one of no record', () => {
  const counts = { harvard: 40, colleen: 9, collie: 2, richard: 300, victory: 5, blaine: 1, smith: 900, ethan: 12 }
  const vocabulary = createVocabulary(Object.entries(counts).map(([word, count]) => ({ word, count })))
  const namesOf = (q: string, names: readonly string[]) =>
    rankCandidates(
      correct({ ...readingOf(q), matchLevel: 'relaxed' }, vocabulary),
      names.map((ownerName) => parcel({ ownerName })),
    ).map(({ candidate }) => (candidate.kind === 'parcel' ? candidate.ownerName : null))

  test.each([
    ['harvard college', 'BEHR HARVARD STREET', ['OVERMOOR RICHARD & COLLEEN TRUS', 'BROWN COLLEEN', 'RICHARD DALE']],
    ['college harvard', 'BEHR HARVARD STREET', ['OVERMOOR RICHARD & COLLEEN TRUS', 'BROWN COLLEEN', 'RICHARD DALE']],
    ['factory blaine', 'BLAINE MAY', ['VICTORY HALL', 'FACKLER BLAKE']],
    ['supermarket blaine', 'BLAINE MAY', ['SUPERIOR MARKETING', 'MARKS BLAKE']],
  ])('"%s" finds %s first', (q, expected, others) => {
    expect(namesOf(q, [...others, expected])[0]).toBe(expected)
  })

  test('without a word of no record, names that resemble a known one are hits, too', () => {
    expect(namesOf('harvard', ['BEHR HARVARD', 'HARWOOD JUNE'])).toEqual(['BEHR HARVARD', 'HARWOOD JUNE'])
  })

  test('a misspelled word is still found beside the right ones', () => {
    expect(namesOf('smtih ethan', ['SMITH ETHAN', 'SMITHERS ETHEL', 'ETHAN COLE'])[0]).toBe('SMITH ETHAN')
  })
})

describe('hits that are equally good', () => {
  const idsOf = (q: string, candidates: Candidate[], changes: Partial<SearchRequest> = {}) =>
    rankCandidates({ ...readingOf(q), ...changes }, candidates).map(({ candidate }) =>
      candidate.kind === 'parcel' ? candidate.sourceParcelId : '',
    )
  const owned = (sourceParcelId: string, ownerName: string) => parcel({ sourceParcelId, ownerName })
  const at = (sourceParcelId: string, situsAddress: string) => parcel({ sourceParcelId, situsAddress })

  test('show a parcel of each owner before the second one of any', () => {
    const candidates = [owned('1', 'HOLLOWAY ADA'), owned('2', 'HOLLOWAY ADA'), owned('3', 'HOLLOWAY BEA')]
    expect(idsOf('hol', candidates)).toEqual(['1', '3', '2'])
  })

  test('show owners of many parcels first, even with longer names', () => {
    const candidates = [owned('1', 'HOLLOWAY ADA'), owned('2', 'HOLLOWAY HEIGHTS HOMEOWNERS ASSOCIATION')]
    const largeOwners = new Map([['holloway heights homeowners association', 30]])
    expect(idsOf('hol', candidates, { largeOwners })).toEqual(['2', '1'])
  })

  test('show the first name of the first person before those after a comma', () => {
    const candidates = [owned('1', 'ELM, ADA & BEA'), owned('2', 'HOLLOWAY ADA')]
    expect(idsOf('ada', candidates)).toEqual(['2', '1'])
  })

  test('show a house with exactly this number before longer numbers', () => {
    expect(idsOf('81', [at('1', '815 ELM ST'), at('2', '81 HOLLOWAY HEIGHTS RD')])).toEqual(['2', '1'])
  })

  test('show a house with the typed number before its neighbors when the number had to be left out', () => {
    const corrections = [{ words: ['gray', 'gdns', 'e'], cost: 1 }]
    expect(idsOf('9 gray gdns east', [at('1', '3 GRAY GDNS E'), at('2', '9 GRAY GDNS E')], { corrections })).toEqual([
      '2',
      '1',
    ])
  })

  test('show a street of a name, then a person with the name, then other houses of the street', () => {
    const candidates = [at('1', '12 MAPLE ST'), at('2', '14 MAPLE ST'), owned('3', 'MAPLE ADA')]
    expect(idsOf('maple', candidates, { isStreetName: true })).toEqual(['1', '3', '2'])
  })

  test('show a person with the name of a street among more streets of this name than a page has hits', () => {
    const streets = ['ST', 'AVE', 'DR', 'CT', 'LN'].map((suffix, place) => at(`${place}`, `12 MAPLE ${suffix}`))
    const owners = [owned('8', 'MAPLE ADA'), owned('9', 'MAPLE BEA')]
    const [, second, , fourth] = idsOf('maple', [...streets, ...owners], { isStreetName: true })
    expect([second, fourth]).toEqual(['8', '9'])
  })

  test('show one id that begins with two numbers, then the houses with them', () => {
    const candidates = [at('12-160', '1 ELM ST'), at('12-161', '2 ELM ST'), at('1', '12-16 ELM ST')]
    expect(idsOf('12-16', candidates)).toEqual(['12-160', '1', '12-161'])
  })
})

test('a PO box comes before longer numbers of boxes, and before a house with its number', () => {
  const box = parcel({ source: 'z', situsAddress: '7 ELM RD', ownerMailingAddress: 'PO BOX 12, HILLSBORO OR 97123' })
  const longer = parcel({ source: 'a', situsAddress: '7 ELM RD', ownerMailingAddress: 'PO BOX 128, BEND OR 97012' })
  const house = parcel({ source: 'a', situsAddress: '12 ELM RD', ownerMailingAddress: 'PO BOX 345, BEND OR 97701' })
  expect(rank('po box 12', [longer, house, box])[0]?.candidate).toBe(box)
})

test('nothing ranks above an exact parcel id, and it wins ties', () => {
  const best = parcel({ source: 'a', ownerName: '77', situsAddress: '77', lat: 45, lon: -122 })
  const exact = parcel({ source: 'z', sourceParcelId: '77', ownerName: 'NOBODY' })
  const [first, second] = rank('77 ', [best, exact], { lat: 45, lon: -122 })
  expect(first?.candidate).toBe(exact)
  expect(second?.score).toBe(5)
})

const words = fc.array(
  fc.constantFrom('smith', 'john', 'smyth', 'main', 'st', 'n', '12', '123', 'oak', 'llc', 'é', '#4'),
  {
    minLength: 1,
    maxLength: 6,
  },
)
const texts = words.map((list) => list.join(' '))
const candidates = fc.array(
  fc.record({
    ownerName: fc.option(texts),
    situsAddress: fc.option(texts),
    situsCity: fc.option(texts),
    ownerMailingAddress: fc.option(texts),
    lat: fc.double({ min: -90, max: 90, noNaN: true }),
    lon: fc.double({ min: -180, max: 180, noNaN: true }),
  }),
  { maxLength: 12 },
)

test('property: the text part stays within 0 and 3, and the score is the sum of its parts', () => {
  fc.assert(
    fc.property(texts, candidates, (q, fields) => {
      for (const ranked of rank(q, fields.map(parcel), { lat: 0, lon: 0, proximityKm: 20_000 })) {
        expect(ranked.text).toBeGreaterThanOrEqual(0)
        expect(ranked.text).toBeLessThanOrEqual(3)
        const sum = Object.values(ranked.bonuses).reduce((total, bonus) => total + bonus, ranked.text)
        expect(ranked.score).toBeCloseTo(sum, 5)
      }
    }),
  )
})

describe('the explanation of a score', () => {
  const explain = (q: string, candidate: Candidate) => createExplainer(readingOf(q))(candidate)

  test('has each word of the best reading, the field where it was found, and the similarity', () => {
    expect(explain('smith hillsboro zzz ', roll.smith).words).toEqual([
      { word: 'smith', field: 'name', similarity: 1, weight: 3, done: true },
      { word: 'hillsboro', field: 'city', similarity: 1, weight: 1.5, done: true },
      { word: 'zzz', field: null, similarity: 0, weight: 0, done: true },
    ])
  })

  test.each([
    [
      '123 n main street apt 4 ',
      roll.main,
      [
        { from: 'street', to: 'st' },
        { from: 'apt', to: 'unit' },
      ],
    ],
    [
      'northwest oak court ',
      roll.smithPortland,
      [
        { from: 'northwest', to: 'nw' },
        { from: 'court', to: 'ct' },
      ],
    ],
    ['acme limited liability company ', roll.acme, [{ from: 'limited liability company', to: 'llc' }]],
    ["oak inc o'neil ", parcel({ ownerName: 'OAK INC ONEIL' }), [{ from: 'o neil', to: 'oneil' }]],
    ['smith & lee ', parcel({ ownerName: 'SMITH AND LEE' }), [{ from: '&', to: 'and' }]],
    ['smith john ', roll.smith, []],
  ])('the words of "%s" are listed with the form that was compared', (q, candidate, normalizations) => {
    expect(explain(q, candidate).normalizations).toEqual(normalizations)
  })

  test('a corrected word is a normalization', () => {
    const request = { ...readingOf('smtih john '), corrections: [{ words: ['smith', 'john'], cost: 0.5 }] }
    const { words, normalizations } = createExplainer(request)(roll.smith)
    expect(words.map(({ word }) => word)).toEqual(['smith', 'john'])
    expect(normalizations).toEqual([{ from: 'smtih', to: 'smith' }])
  })

  test('property: its parts add up to the score, and its words are those of the text score', () => {
    fc.assert(
      fc.property(texts, candidates, (q, fields) => {
        const near = { lat: 0, lon: 0, proximityKm: 20_000 }
        const request = { ...readingOf(q, near), corrections: [{ words: ['smith', 'oak'], cost: 0.5 }] }
        const annotate = createAnnotator(request, { explain: true })
        const parcels = [...fields.map(parcel), entity({ name: fields[0]?.ownerName ?? '' })]
        for (const ranked of rankCandidates(request, parcels, { keepAll: true })) {
          const { explain } = annotate(ranked)
          if (explain === undefined) throw new Error('an explanation was requested')
          const { text, bonuses } = explain
          const sum = text.score + bonuses.exact_prefix + bonuses.exact_parcel_id + bonuses.proximity
          expect(Math.round(sum * 1e6) / 1e6).toBe(ranked.score)
          const weights = text.words.map(({ weight }) => weight)
          expect(text.score).toBeLessThanOrEqual(Math.max(...weights, 0) + 1e-9)
          for (const { field, similarity } of text.words) {
            expect(similarity).toBeWithin(0, 1 + Number.EPSILON)
            expect(similarity > 0).toBe(field !== null)
          }
          expect(text.words.some(({ field }) => field !== null)).toBe(text.score > 0)
        }
      }),
    )
  })
})

test('property: the order does not depend on the order of the candidates', () => {
  fc.assert(
    fc.property(texts, candidates, (q, fields) => {
      const parcels = fields.map(parcel)
      const ids = (list: readonly Candidate[]) => rank(q, list).map(({ candidate }) => candidate.id)
      expect(ids([...parcels].reverse())).toEqual(ids(parcels))
    }),
  )
})

test('property: proximity never drops a hit and never lowers a score', () => {
  fc.assert(
    fc.property(texts, candidates, (q, fields) => {
      const parcels = fields.map(parcel)
      const plain = new Map(rank(q, parcels).map(({ candidate, score }) => [candidate.id, score]))
      const near = new Map(
        rank(q, parcels, { lat: 0, lon: 0, proximityKm: 500 }).map(({ candidate, score }) => [candidate.id, score]),
      )
      expect([...near.keys()].sort()).toEqual([...plain.keys()].sort())
      for (const [id, score] of plain) expect(near.get(id) ?? -1).toBeGreaterThanOrEqual(score)
    }),
  )
})

test('a place does not drop a hit whose words fit one field better with it, and several fields without it', () => {
  const found = parcel({ ownerName: 'st n', ownerMailingAddress: '#4 st', lat: 0, lon: 0 })
  for (const near of [{}, { lat: 0, lon: 0, proximityKm: 500 }])
    expect(rank('#4 john smith smith', [found], near)).toHaveLength(1)
})

test('property: ranking in several turns of the event loop gives the same order', () =>
  fc.assert(
    fc.asyncProperty(texts, candidates, async (q, fields) => {
      const parcels = Array.from({ length: 700 }, (_, index) =>
        parcel({ ...fields[index % Math.max(1, fields.length)], sourceParcelId: `p${index}` }),
      )
      const request = readingOf(q)
      expect(await rankInTurns(request, parcels)).toEqual(rankCandidates(request, parcels))
    }),
    { numRuns: 20 },
  ))

test('the number of a unit is no house number', () => {
  const [unit, house] = [parcel({ situsAddress: '242 E MAIN ST UNIT 10' }), parcel({ situsAddress: '12 OAK ST' })]
  expect(rank('10 oak st apt 2', [unit, house])[0]?.candidate).toBe(house)
  expect(rank('242 e main st apt 10', [unit, house])[0]?.candidate).toBe(unit)
})
