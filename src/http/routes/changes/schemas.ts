import { Type } from '@sinclair/typebox'
import { CAUSES, CHANGE_ACTIONS } from '../../../../drizzle/schema/values'
import { at, closed, countOf, oneOf, PAGE_HASH, sourceParcelId, sourceSlug, textOf, uuid } from '../../schemas'

const version = countOf('Version of the record. Later changes have higher ones.', 70_412)

export const origin = Type.Object(
  {
    line: Type.Optional(
      countOf('Line of the loaded file. If there is a `place`, the number of the row in the load.', 12),
    ),
    place: Type.Optional(
      textOf(
        'Which row of the loaded files it was, if `line` alone does not say: `feature 12` or `lots.csv, line 7`.',
        'feature 12',
      ),
    ),
    page: Type.Optional(textOf('URL of the page at the portal.', 'https://gis.larkspur.example/parcels/12-0345-0670')),
    page_hash: Type.Optional(textOf('Hash of the kept page, if it was kept.', PAGE_HASH)),
    page_at: Type.Optional(at('When the portal answered.')),
    adapter: Type.Optional(textOf('The adapter that read the page.', 'arcgis-rest')),
    version: Type.Optional(textOf('Version of the service that read it.', '0.1.0')),
    as_of: Type.Optional(textOf('How current the data was: a year or an ISO date.', '2026')),
  },
  { component: 'ChangeOrigin', description: 'Where new values are from: a row of a file, or a page of a portal.' },
)

export const change = Type.Object(
  {
    version,
    at: at('Time of the change.'),
    source: sourceSlug,
    source_parcel_id: sourceParcelId,
    action: oneOf(CHANGE_ACTIONS, {
      description:
        '`retired`: the source no longer lists the parcel. `returned`: the source lists it again. `deleted`: an operator deleted it.',
      examples: ['changed'],
    }),
    cause: Type.Union([oneOf(CAUSES), Type.Null()], {
      description: 'What led to the change. Null: it is older than the log.',
      examples: ['ingest'],
    }),
    cause_id: Type.Union([uuid, Type.Null()], {
      description: 'Id of the load, crawl, job, replay or undo.',
      examples: uuid.examples,
    }),
    changes: Type.Record(
      Type.String(),
      Type.Object({ former: Type.Unknown(), new: Type.Unknown() }, { ...closed, component: 'FieldChange' }),
      {
        description:
          'The fields that changed, by name. A value is null where the parcel had none. `geom` has hashes of the boundaries. `lon` and `lat` are always listed together, and also when a boundary replaces the point. `scrape_data.NAME` is a member of `scrape_data`. Empty for `created`: to get its values, take the record and reverse the later changes.',
        examples: [{ owner_name: { former: 'JUNIPER ADA & BO', new: 'MARLOWE ROSE' } }],
      },
    ),
    origin: Type.Union([origin, Type.Null()], { description: 'Where the new values are from; null if unknown.' }),
  },
  { ...closed, component: 'Change', description: 'One change of a parcel.' },
)

export const changePage = Type.Object({
  changes: Type.Array(change, { description: 'In order of their versions.' }),
  next: countOf('`after` for the next request. It advances even if no change passed the filters.', 70_412),
  watermark: countOf('The log is complete up to this version. If `next` equals it, you have read everything.', 70_412),
})
