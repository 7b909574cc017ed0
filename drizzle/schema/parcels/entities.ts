import { sql } from 'drizzle-orm'
import { char, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { ENTITY_TEXT } from '../../../core/bounds'
import { atMostCharacters, moment } from '../columns'
import { parcels } from './parcels'

/** Companies of a state's business registry. Triggers on parcels and entities maintain `linked_parcel_count`. */
export const entities = pgTable(
  'entities',
  {
    id: uuid().primaryKey().default(sql`uuidv7()`),
    jurisdiction: char({ length: 2 }).notNull(),
    registryNumber: text('registry_number').notNull(),
    name: text().notNull(),
    entityType: text('entity_type'),
    status: text(),
    registeredAgentName: text('registered_agent_name'),
    linkedParcelCount: integer('linked_parcel_count').notNull().default(0),
    createdAt: moment('created_at').notNull().default(sql`now()`),
    updatedAt: moment('updated_at').notNull().default(sql`now()`),
    nameNormalized: text('name_normalized').generatedAlwaysAs(sql`normalize_name(name)`),
  },
  (table) => [
    unique('entities_registry').on(table.jurisdiction, table.registryNumber),
    atMostCharacters('entities_registry_number', table.registryNumber, ENTITY_TEXT.registry_number),
    atMostCharacters('entities_name', table.name, ENTITY_TEXT.name),
    atMostCharacters('entities_entity_type', table.entityType, ENTITY_TEXT.entity_type),
    atMostCharacters('entities_status', table.status, ENTITY_TEXT.status),
    atMostCharacters('entities_registered_agent_name', table.registeredAgentName, ENTITY_TEXT.registered_agent_name),
    index('entities_name_normalized').on(table.nameNormalized),
    index('entities_name_trgm').using('gin', table.name.op('gin_trgm_ops')),
    index('entities_agent_trgm').using('gin', table.registeredAgentName.op('gin_trgm_ops')),
  ],
)

/** Which parcels an entity owns: the pairs with equal normalized names. Triggers on both tables maintain it. */
export const entityParcels = pgTable(
  'entity_parcels',
  {
    entityId: uuid('entity_id')
      .notNull()
      .references(() => entities.id, { onDelete: 'cascade' }),
    parcelId: uuid('parcel_id')
      .notNull()
      .references(() => parcels.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.entityId, table.parcelId] }),
    index('entity_parcels_parcel').on(table.parcelId),
  ],
)
