export const Spinner = ({ label }: { label: string }) => (
  <p className="spinner" role="status">
    <span aria-hidden="true" className="spinner-dot" />
    {label}…
  </p>
)
