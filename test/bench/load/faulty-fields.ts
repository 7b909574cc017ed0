/** The fields that the adapter of load/faulty-reader.ts reads wrong. */
export const FAULTY_FIELDS = ['owner_name', 'owner_names_all', 'scrape_data.owner_name', 'scrape_data.owners']
