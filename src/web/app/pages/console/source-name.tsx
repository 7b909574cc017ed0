import { Link } from 'wouter'
import { at } from '../../api/api'

/** The county of a source, with a link to the source, for the cell of a table. */
export const SourceName = ({ source, county_name, state }: { source: string; county_name: string; state: string }) => (
  <>
    {county_name}, {state}
    <span className="cell-note">
      <Link href={`/app/console/sources/${at(source)}`}>{source}</Link>
    </span>
  </>
)
