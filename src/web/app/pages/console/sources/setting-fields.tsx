import { useState } from 'react'
import { findValue, type Setting, writeAnswer } from '../../../../../../core/schema/settings'
import { Field } from '../../../ui/form/field'
import { type Answers, answerOf, type Config } from './settings-answers'

interface Props {
  settings: readonly Setting[]
  config: Config
  answers: Answers
  problemOf: (setting: Setting) => string | null
  onChange: (name: string, text: string) => void
}

/** More settings than this are shown only if they are required or set; the others can be unfolded. */
const MAX_SHOWN = 6

/** One field for each setting. */
export const SettingFields = ({ settings, config, answers, problemOf, onChange }: Props) => {
  // Layers have some 40 settings. A field stays where it is while somebody types.
  const [first] = useState(() => new Set(settings.filter((one) => isShownFirst(one, config)).map(({ name }) => name)))
  const isShown = ({ name }: Setting) => settings.length <= MAX_SHOWN || first.has(name)
  const rest = settings.filter((setting) => !isShown(setting))
  const fieldOf = (setting: Setting) => (
    <Field
      key={setting.name}
      label={setting.isRequired ? `${setting.name} (required)` : setting.name}
      hint={hintOf(setting)}
      error={problemOf(setting)}
    >
      {(given) => (
        <Answer
          given={given}
          setting={setting}
          text={answerOf(setting, answers, config)}
          onChange={(text) => onChange(setting.name, text)}
        />
      )}
    </Field>
  )
  return (
    <>
      {settings.filter(isShown).map(fieldOf)}
      {rest.length > 0 && (
        <details className="more-settings" open={rest.some((setting) => problemOf(setting) !== null) || undefined}>
          <summary>{rest.length === 1 ? '1 more setting' : `${rest.length} more settings`}, not set</summary>
          <div className="stack">{rest.map(fieldOf)}</div>
        </details>
      )}
    </>
  )
}

const isShownFirst = (setting: Setting, config: Config): boolean =>
  setting.isRequired || findValue(config, setting) !== undefined

const hintOf = ({ description, kind, example, byDefault, ...setting }: Setting): string =>
  [
    description,
    kind === 'list' && 'Separate the entries with commas.',
    kind === 'json' && 'Written as JSON.',
    [
      example !== undefined && `Example: ${writeAnswer({ ...setting, kind }, example)}`,
      byDefault !== undefined &&
        (Array.isArray(byDefault) && byDefault.length === 0
          ? 'If it is empty, nothing is read for it.'
          : `Default: ${writeAnswer({ ...setting, kind }, byDefault)}`),
    ]
      .filter(Boolean)
      .join(' – '),
  ]
    .filter(Boolean)
    .join(' ')

type Given = Parameters<Parameters<typeof Field>[0]['children']>[0]

const Answer = ({
  given,
  setting: { kind, choices },
  text,
  onChange,
}: {
  given: Given
  setting: Setting
  text: string
  onChange: (text: string) => void
}) => {
  const options = kind === 'boolean' ? ['true', 'false'] : choices
  if (kind === 'choice' || kind === 'boolean') {
    return (
      <select {...given} value={text} onChange={({ target }) => onChange(target.value)}>
        <option value="">default</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    )
  }
  const shared = { ...given, value: text, spellCheck: false, autoComplete: 'off' }
  return kind === 'json' ? (
    <textarea {...shared} className="code" onChange={({ target }) => onChange(target.value)} />
  ) : (
    <input {...shared} onChange={({ target }) => onChange(target.value)} />
  )
}
