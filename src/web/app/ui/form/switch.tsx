interface Props {
  label: string
  isOn: boolean
  isBusy?: boolean
  onChange: (isOn: boolean) => void
}

export const Switch = ({ label, isOn, isBusy = false, onChange }: Props) => (
  <button
    type="button"
    role="switch"
    className="switch"
    aria-checked={isOn}
    aria-label={label}
    aria-busy={isBusy || undefined}
    disabled={isBusy}
    onClick={() => onChange(!isOn)}
  />
)
