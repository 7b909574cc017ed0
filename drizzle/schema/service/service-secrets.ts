import { pgTable, text } from 'drizzle-orm/pg-core'

/** Random keys that all processes of the service share. They are never sent elsewhere. */
export const serviceSecrets = pgTable('service_secrets', {
  /** What the key is for. */
  name: text().primaryKey(),
  secret: text().notNull(),
})
