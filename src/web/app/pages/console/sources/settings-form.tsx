import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  findValue,
  type JsonSchema,
  listSettings,
  readAnswer,
  type Setting,
  UnreadableAnswer,
  withValue,
  writeAnswer,
} from '../../../../../../core/schema/settings'
import { api, ask, at } from '../../../api/api'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Spinner } from '../../../ui/spinner'
import { DryRun } from './dry-run'

type Config = Record<string, unknown>

interface Props {
  source: string
  schema: object
  config: Config
  /** The source can be activated only after it was proved. */
  needsProof: boolean
  /** Whether it has a portal, from which a parcel can be requested. */
  hasPortal: boolean
}

/** The settings of a source, one field for each, with a dry run of one parcel before they are saved. */
export const SettingsForm = ({ source, schema, config, needsProof, hasPortal }: Props) => {
  const queries = useQueryClient()
  const settings = listSettings(schema as JsonSchema)
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(settings.map((setting) => [setting.name, writeAnswer(setting, findValue(config, setting))])),
  )
  // Layers have some 40 settings. A field stays where it is while somebody types.
  const [first] = useState(() => new Set(settings.filter((one) => isShownFirst(one, config)).map(({ name }) => name)))
  const [parcel, setParcel] = useState('')
  const read = readAnswers(settings, answers, config)
  const isUnchanged = JSON.stringify(read.config) === JSON.stringify(config)
  const name = { source: at(source) }
  const dryRun = useMutation({
    mutationFn: (tried: Config) =>
      ask(api.v1.sources(name)['dry-run'].post({ source_parcel_id: parcel, vendor_config: tried })),
  })
  const prove = useMutation({
    mutationFn: (reading: string) => ask(api.v1.sources(name).proof.post({ source_parcel_id: parcel, reading })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
  const save = useMutation({
    mutationFn: () => ask(api.v1.sources(name).patch({ vendor_config: read.config })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['sources'] }),
  })
  const refusal = save.error ?? dryRun.error
  // The service names the field at the beginning of a line: "vendor_config.labels.address must be …".
  const refusals = (refusal?.message.split('\n') ?? []).filter((line) => line.startsWith('vendor_config'))
  const problemOf = ({ name: field }: Setting): string | null =>
    read.problems.get(field) ??
    refusals.find((line) => new RegExp(`^vendor_config\\.${field.replaceAll('.', '\\.')}\\b`).test(line)) ??
    null
  const isPlaced = refusal !== null && settings.some((setting) => problemOf(setting) !== null)
  const change = (field: string, text: string) => {
    save.reset()
    dryRun.reset()
    prove.reset()
    setAnswers({ ...answers, [field]: text })
  }
  const rest = settings.length <= MAX_SHOWN ? [] : settings.filter(({ name }) => !first.has(name))
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
          text={answers[setting.name] ?? ''}
          onChange={(text) => change(setting.name, text)}
        />
      )}
    </Field>
  )
  return (
    <section className="card" aria-label="Settings">
      <h2>Settings</h2>
      {settings.length === 0 && <p className="quiet">This vendor has no settings.</p>}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        {(settings.length <= MAX_SHOWN ? settings : settings.filter(({ name }) => first.has(name))).map(fieldOf)}
        {rest.length > 0 && (
          <details className="more-settings" open={rest.some((setting) => problemOf(setting) !== null) || undefined}>
            <summary>{rest.length === 1 ? '1 more setting' : `${rest.length} more settings`}, not set</summary>
            <div className="stack">{rest.map(fieldOf)}</div>
          </details>
        )}
        {hasPortal && (
          <Field
            label="Parcel for a dry run"
            hint="As the source writes it. It is requested from the portal, and nothing is stored."
          >
            {(given) => (
              <input
                {...given}
                value={parcel}
                autoComplete="off"
                onChange={({ target }) => {
                  dryRun.reset()
                  prove.reset()
                  setParcel(target.value)
                }}
              />
            )}
          </Field>
        )}
        {!isPlaced && <Trouble error={refusal} />}
        {save.isSuccess && isUnchanged && <Notice tone="good">Saved.</Notice>}
        <div className="row">
          {hasPortal && (
            <Button
              isBusy={dryRun.isPending}
              disabled={parcel.trim() === '' || read.problems.size > 0}
              onClick={() => dryRun.mutate(read.config)}
            >
              Dry run
            </Button>
          )}
          <Button type="submit" kind="primary" isBusy={save.isPending} disabled={read.problems.size > 0 || isUnchanged}>
            Save the settings
          </Button>
        </div>
      </form>
      {dryRun.isPending && <Spinner label="Requesting the parcel from the portal, which can take a minute" />}
      {dryRun.data && (
        <>
          <DryRun result={dryRun.data} />
          {dryRun.data.reading !== null && (
            <div className="stack">
              <p className="quiet">
                {isUnchanged
                  ? 'Compare the values with the portal. If all of them are right, prove the source: the parcel is requested again, and its pages are kept.'
                  : 'Save the settings before you prove the source with them.'}
                {needsProof && ' The source can be activated after that.'}
              </p>
              <Trouble error={prove.error} />
              {prove.isSuccess && <Notice tone="good">The source is proved.</Notice>}
              <div className="row">
                <Button
                  isBusy={prove.isPending}
                  disabled={!isUnchanged || prove.isSuccess}
                  onClick={() => prove.mutate(dryRun.data.reading ?? '')}
                >
                  The values are right
                </Button>
              </div>
            </div>
          )}
        </>
      )}
    </section>
  )
}

/** More settings than this are shown only if they are required or set; the others can be unfolded. */
const MAX_SHOWN = 6

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
          ? 'Without a name it is not read.'
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

/** The `vendor_config` that the answers make, and what is wrong with answers, by field. */
const readAnswers = (
  settings: readonly Setting[],
  answers: Readonly<Record<string, string>>,
  before: Config,
): { config: Config; problems: Map<string, string> } => {
  let config = before
  const problems = new Map<string, string>()
  for (const setting of settings) {
    const text = answers[setting.name] ?? ''
    // A value that was not edited stays as it is, in its place.
    if (text === writeAnswer(setting, findValue(before, setting))) continue
    try {
      config = withValue(config, setting, readAnswer(setting, text))
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error
      problems.set(setting.name, error.message)
    }
  }
  return { config, problems }
}
