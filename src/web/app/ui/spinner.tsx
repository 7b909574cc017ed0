export const Spinner = ({ label }: { label: string }) => (
  <p className="spinner" role="status">
    <span aria-hidden="true" className="spinner-dot" />
    {label}…
  </p>
)

/** While the code of a dialog or a menu is fetched. It moves nothing on the page. */
export const Opening = () => (
  <p className="spinner floating" role="status">
    <span aria-hidden="true" className="spinner-dot" />
    Opening…
  </p>
)
