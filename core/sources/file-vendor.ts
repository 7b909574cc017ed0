/** The vendor of sources whose parcels come from files, not from a portal. It has no adapter. */
export const FILE_VENDOR = 'file'
