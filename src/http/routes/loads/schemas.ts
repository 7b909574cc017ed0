import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { LOAD_KINDS, LOAD_STATUSES } from '../../../../drizzle/schema/values'
import {
  at,
  atOrNull,
  closed,
  countOf,
  idOf,
  oneOf,
  sourceParcelId,
  sourceSlug,
  textOf,
  textOrNull,
  WHO,
} from '../../schemas'

export const STATUS = {
  description:
    '`staging`: it is being read. `held`: it would change too much and waits for an admin. `failed`: it stopped while it was applied, and a part of it is stored. `undone`: it was applied, and then undone.',
  examples: ['held'],
}

const value = (description: string, example: unknown) => Type.Unknown({ description, examples: [example] })

const check = Type.Object(
  {
    check: oneOf(['retired', 'emptied', 'owner'], {
      description:
        '`retired`: parcels that it retires, because it does not list them. `emptied`: parcels that lose the value of `field`. `owner`: parcels that get another owner.',
      examples: ['emptied'],
    }),
    field: textOrNull('The field.', 'zoning_code'),
    count: countOf('How many parcels.', 3_000),
    share: Type.Number({ minimum: 0, description: '`count` as a share of the parcels of the source.', examples: [1] }),
    limit: Type.Number({ minimum: 0, description: 'The limit of the source for the share.', examples: [0.05] }),
    is_over: Type.Boolean({ description: 'Whether the load was held because of this.', examples: [true] }),
    examples: Type.Array(
      Type.Object(
        {
          source_parcel_id: sourceParcelId,
          former: value('The value before the load.', 'R-7'),
          new: value('The value in the load.', null),
        },
        closed,
      ),
      { description: 'Up to 5 of the parcels, if the check is over its limit.' },
    ),
  },
  closed,
)

const nullableObject = <Fields extends TProperties>(schema: TObject<Fields>, description: string, example: unknown) =>
  Type.Union([schema, Type.Null()], { description, examples: [example] })

const counts = {
  read: countOf('Records read.', 2_400),
  rejected: countOf('Records rejected.', 3),
  inserted: countOf('New parcels.', 12),
  updated: countOf('Parcels that changed, or returned.', 240),
  unchanged: countOf('Parcels that did not change.', 2_145),
  retired: countOf('Parcels that were retired.', 8),
}

export const load = Type.Object(
  {
    id: idOf('load, and of the work that ran it. It is `cause_id` in the change log'),
    source: sourceSlug,
    kind: oneOf(LOAD_KINDS, { description: 'A file that was ingested, or a crawl.', examples: ['ingest'] }),
    status: oneOf(LOAD_STATUSES, STATUS),
    is_complete: Type.Boolean({
      description: 'Whether it lists all parcels of the source. If so, the others are retired.',
      examples: [true],
    }),
    as_of: textOrNull('The date of the data.', '2026-01-01'),
    file: textOrNull('The name of the file.', 'parcels-2026.geojson'),
    cleared: Type.Array(Type.String({ description: 'A field.', examples: ['zoning_code'] }), {
      description: 'Fields that are cleared if a record has no value for them. Other fields keep their values.',
      examples: [['owner_name', 'zoning_code']],
    }),
    counts: nullableObject(
      Type.Object(counts, closed),
      'Counts of records and parcels. For a held or failed load: what the whole load would change. Null while it is read.',
      { read: 2_400, rejected: 3, inserted: 12, updated: 240, unchanged: 2_145, retired: 8 },
    ),
    verdict: nullableObject(
      Type.Object(
        {
          parcels: countOf('Parcels of the source before the load.', 3_000),
          checks: Type.Array(check, { description: 'Checks that count at least one parcel.' }),
        },
        closed,
      ),
      'The comparison with the parcels of the source. Null if the source had none, or while the load is read.',
      { parcels: 3_000, checks: [] },
    ),
    undo: nullableObject(
      Type.Object(
        {
          restored: countOf('Parcels whose former values were restored.', 240),
          retired: countOf('Parcels that were retired, because the load had created them.', 12),
          kept: countOf('Parcels with fields that were changed again later. Those fields keep their values.', 0),
          kept_first: Type.Array(
            Type.Object(
              {
                source_parcel_id: sourceParcelId,
                fields: Type.Array(Type.String({ description: 'A field.', examples: ['owner_name'] }), {
                  description: '`created`: the whole parcel was left unchanged.',
                  examples: [['owner_name']],
                }),
              },
              closed,
            ),
            { description: 'The first 100 of `kept`.' },
          ),
        },
        closed,
      ),
      'What the undo did; null if it was not undone.',
      { restored: 240, retired: 12, kept: 0, kept_first: [] },
    ),
    created_by: textOrNull(`Who started it: ${WHO}; \`operator\` for the command line.`, 'operator'),
    can_apply: Type.Boolean({
      description:
        'Whether it can be applied: it is held, or it failed while it was applied and no newer load of its source was compared since. It cannot if something was undone since it was compared.',
      examples: [true],
    }),
    note: textOrNull(
      'Who applied or discarded it, why it failed, or that its layer was cut short.',
      'discarded by pk_1a2b3',
    ),
    created_at: at('When it began.'),
    judged_at: atOrNull('When it was read to the end and compared.'),
    applied_at: atOrNull('When it was applied.'),
    ended_at: atOrNull('When it was discarded, undone or failed.'),
  },
  { ...closed, component: 'Load', description: 'A file or a crawl: what it changes, and whether it is visible.' },
)

export const loadKey = Type.Object({
  id: Type.String({ description: 'A load id (UUID).', examples: ['019b76da-8c00-7000-8000-000000000001'] }),
})

export const orderedWork = Type.Object(
  {
    work_id: textOf(
      'The work that does it. `GET /v1/work/{id}` shows its progress and result.',
      '019b76da-8c00-7000-8000-000000000002',
    ),
  },
  { ...closed, component: 'OrderedWork', description: 'Work that was queued.' },
)
