import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { describeThreshold } from '../../../../../../core/alerts/alert-rules'
import { formatCount } from '../../../format'
import { Button } from '../../../ui/button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/form/field'
import { Switch } from '../../../ui/form/switch'
import { Loaded, Trouble } from '../../../ui/loaded'
import { DataTable } from '../../../ui/table/data-table'
import { changeRule, listRules, type Rule } from './alert-api'

/** All rules, with their thresholds. */
export const Rules = () => {
  const queries = useQueryClient()
  const [edited, setEdited] = useState<Rule | null>(null)
  const rules = useQuery({ queryKey: ['alert-rules'], queryFn: ({ signal }) => listRules(signal) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['alert-rules'] })
  const toggle = useMutation({
    mutationFn: ({ rule, active }: { rule: Rule; active: boolean }) => changeRule(rule.rule, { active }),
    onSuccess: refresh,
  })
  return (
    <Loaded query={rules} what="the rules">
      {({ rules: rows }) => (
        <>
          <Trouble error={toggle.error} />
          <DataTable
            label="Rules"
            rows={rows}
            keyOf={({ rule }) => rule}
            empty="There are no rules."
            columns={[
              {
                name: 'Rule',
                isHead: true,
                cell: ({ title, means }) => (
                  <>
                    {title}
                    <span className="cell-note cell-words">{means}</span>
                  </>
                ),
              },
              {
                name: 'Threshold',
                cell: (rule) =>
                  rule.threshold === null || rule.unit === null ? (
                    <span className="quiet">none</span>
                  ) : (
                    <span className="row nowrap">
                      {describeThreshold(rule.threshold, rule.unit)}
                      <Button
                        className="small"
                        aria-label={`Change the threshold: ${rule.title}`}
                        onClick={() => setEdited(rule)}
                      >
                        Change
                      </Button>
                    </span>
                  ),
              },
              { name: 'Raised', isNumber: true, cell: ({ raised }) => formatCount(raised) },
              { name: 'Changed by', cell: ({ updated_by }) => updated_by ?? <span className="quiet">nobody</span> },
              {
                name: 'Checked',
                cell: (rule) => (
                  <Switch
                    label={`Check the rule: ${rule.title}`}
                    isOn={rule.active}
                    isBusy={toggle.isPending && toggle.variables.rule.rule === rule.rule}
                    onChange={(active) => toggle.mutate({ rule, active })}
                  />
                ),
              },
            ]}
          />
          {edited !== null && <ThresholdDialog rule={edited} refresh={refresh} onClose={() => setEdited(null)} />}
        </>
      )}
    </Loaded>
  )
}

const ThresholdDialog = ({
  rule,
  refresh,
  onClose,
}: {
  rule: Rule
  refresh: () => Promise<void>
  onClose: () => void
}) => {
  const { unit, default_threshold: byDefault, min_threshold: min, max_threshold: max } = rule
  const [text, setText] = useState(String(rule.threshold ?? ''))
  const save = useMutation({
    mutationFn: (threshold: number | null) => changeRule(rule.rule, { threshold }),
    onSuccess: async () => {
      await refresh()
      onClose()
    },
  })
  return (
    <Dialog title={rule.title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(Number(text))
        }}
      >
        <p>{rule.means}</p>
        <Field
          label={`Threshold in ${unit}`}
          hint={`From ${min} to ${max?.toLocaleString('en-US')}. The default is ${byDefault}. It applies within a minute.`}
        >
          {(given) => (
            <input
              {...given}
              type="number"
              required
              min={min ?? undefined}
              max={max ?? undefined}
              step="any"
              inputMode="decimal"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <Trouble error={save.error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button isBusy={save.isPending} disabled={rule.threshold === byDefault} onClick={() => save.mutate(null)}>
            Use the default
          </Button>
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
