import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type JsonSchema, listSettings, type Setting } from '../../../../../../core/schema/settings'
import { api, ask, at } from '../../../api/api'
import { Button } from '../../../ui/button'
import { Field } from '../../../ui/form/field'
import { withoutSaved } from '../../../ui/form/without-saved'
import { Trouble } from '../../../ui/loaded'
import { Notice } from '../../../ui/notice'
import { Spinner } from '../../../ui/spinner'
import { DryRun } from './dry-run'
import { SettingFields } from './setting-fields'
import { type Answers, type Config, problemsIn, readAnswers } from './settings-answers'

interface Props {
  source: string
  schema: object
  config: Config
  /** The source can be activated only after it was proved. */
  needsProof: boolean
  /** Whether it has a portal, from which a parcel can be requested. */
  hasPortal: boolean
}

/** The requests of the form, about the settings `edited` and the parcel of the dry run. `onSaved` gets the answers that are stored now. */
const useRequests = (source: string, parcel: string, edited: Config, onSaved: (answers: Answers) => void) => {
  const queries = useQueryClient()
  const name = { source: at(source) }
  const refresh = () => queries.invalidateQueries({ queryKey: ['sources'] })
  const dryRun = useMutation({
    mutationFn: () => ask(api.v1.sources(name)['dry-run'].post({ source_parcel_id: parcel, vendor_config: edited })),
  })
  const prove = useMutation({
    mutationFn: (reading: string) => ask(api.v1.sources(name).proof.post({ source_parcel_id: parcel, reading })),
    onSuccess: refresh,
  })
  const save = useMutation({
    mutationFn: (_: Answers) => ask(api.v1.sources(name).patch({ vendor_config: edited })),
    onSuccess: async (_, answers) => {
      await refresh()
      onSaved(answers)
    },
  })
  return { dryRun, prove, save }
}

/** The settings of a source, one field for each, with a dry run of one parcel before they are saved. */
export const SettingsForm = ({ source, schema, config, needsProof, hasPortal }: Props) => {
  const settings = listSettings(schema as JsonSchema)
  const [answers, setAnswers] = useState<Answers>({})
  const [parcel, setParcel] = useState('')
  const { config: edited, problems } = readAnswers(settings, answers, config)
  const isUnchanged = JSON.stringify(edited) === JSON.stringify(config)
  const { dryRun, prove, save } = useRequests(source, parcel, edited, (saved) =>
    setAnswers((current) => withoutSaved(current, saved)),
  )
  const refusal = save.error ?? dryRun.error
  const refused = problemsIn(refusal?.message ?? '', settings)
  const problemOf = ({ name }: Setting): string | null => problems.get(name) ?? refused.get(name) ?? null
  const isPlaced = refusal !== null && settings.some((setting) => problemOf(setting) !== null)
  const change = (name: string, text: string) => {
    save.reset()
    dryRun.reset()
    prove.reset()
    setAnswers({ ...answers, [name]: text })
  }
  const changeParcel = (text: string) => {
    dryRun.reset()
    prove.reset()
    setParcel(text)
  }
  return (
    <section className="card" aria-label="Settings">
      <h2>Settings</h2>
      {settings.length === 0 && <p className="quiet">This vendor has no settings.</p>}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(answers)
        }}
      >
        <SettingFields settings={settings} config={config} answers={answers} problemOf={problemOf} onChange={change} />
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
                onChange={({ target }) => changeParcel(target.value)}
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
              disabled={parcel.trim() === '' || problems.size > 0}
              onClick={() => dryRun.mutate()}
            >
              Dry run
            </Button>
          )}
          <Button type="submit" kind="primary" isBusy={save.isPending} disabled={problems.size > 0 || isUnchanged}>
            Save the settings
          </Button>
        </div>
      </form>
      {dryRun.isPending && <Spinner label="Requesting the parcel from the portal, which can take a minute" />}
      {dryRun.data && <DryRun result={dryRun.data} />}
      {dryRun.data && dryRun.data.reading !== null && (
        <ProveSource prove={prove} reading={dryRun.data.reading} isSaved={isUnchanged} needsProof={needsProof} />
      )}
    </section>
  )
}

/** Confirms that the values of a dry run are right. */
const ProveSource = ({
  prove,
  reading,
  isSaved,
  needsProof,
}: {
  prove: UseMutationResult<unknown, Error, string>
  reading: string
  /** Whether the settings of the dry run are saved. */
  isSaved: boolean
  needsProof: boolean
}) => (
  <div className="stack">
    <p className="quiet">
      {isSaved
        ? 'Compare the values with the portal. If all of them are right, prove the source: the parcel is requested again, and its pages are kept.'
        : 'Save the settings before you prove the source with them.'}
      {needsProof && ' The source can be activated after that.'}
    </p>
    <Trouble error={prove.error} />
    {prove.isSuccess && <Notice tone="good">The source is proved.</Notice>}
    <div className="row">
      <Button isBusy={prove.isPending} disabled={!isSaved || prove.isSuccess} onClick={() => prove.mutate(reading)}>
        The values are right
      </Button>
    </div>
  </div>
)
