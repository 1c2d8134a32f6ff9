import { Trans, useLingui } from "@lingui/react/macro";
import { beginsBelow } from "@tollgate/contract/notices/alert-rule-settings.ts";
import {
  type AlertRuleName,
  canPause,
  findUsualLimits,
  operatorRules,
  ownRules,
  type RuleLimitUnit,
  type UsualRuleLimits,
} from "@tollgate/contract/notices/alert-rule-table.ts";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useController } from "react-hook-form";
import { alertRuleLabels } from "../../components/failures/alert-rule-words.ts";
import { Button } from "../../ui/button.tsx";
import { FieldFrame, FieldHelp } from "../../ui/form/form-field.tsx";
import { Checkbox, Input } from "../../ui/form/input.tsx";
import {
  buildAlertRuleValues,
  buildUsualRuleValues,
  findRuleLimitIssue,
  formatAlertRulesText,
  isUsual,
  type RuleValues,
} from "./alert-rule-values.ts";

type RuleProps = {
  rule: AlertRuleName;
  values: RuleValues;
  onChange: (values: RuleValues) => void;
};

/**
 * A switch for each alert rule, with the limits of those that have some; the form's value is the
 * text that is stored.
 */
export function AlertRulesInput({ name }: { name: string }) {
  const { field, fieldState } = useController({ name });
  const box = useRef<HTMLDivElement>(null);
  const { ref } = field;
  // The form moves the focus to the first field in error, which is one of many here.
  useEffect(() => {
    ref({ focus: () => box.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus() });
  }, [ref]);
  const stored = String(field.value);
  const [values, setValues] = useState(() => buildAlertRuleValues(stored));
  const change = (rule: AlertRuleName, next: RuleValues) => {
    const all = { ...values, [rule]: next };
    setValues(all);
    field.onChange(formatAlertRulesText(all, stored));
  };
  const list = (rules: readonly AlertRuleName[], legend: ReactNode) => (
    <fieldset>
      <legend className="mb-2 font-medium">{legend}</legend>
      {/* One column after the other: a rule with limits is higher than one without. */}
      <div className="gap-x-8 md:columns-2">
        {rules.map((rule) => (
          <Rule
            key={rule}
            rule={rule}
            values={values[rule]}
            onChange={(next) => change(rule, next)}
          />
        ))}
      </div>
    </fieldset>
  );
  return (
    <div ref={box} className="flex flex-col gap-5">
      {list(operatorRules, <Trans>Alerts for operators</Trans>)}
      {list(ownRules, <Trans>Alerts for users</Trans>)}
      <FieldHelp id="alert-rules" help={undefined} error={fieldState.error?.message} />
    </div>
  );
}

function Rule({ rule, values, onChange }: RuleProps) {
  const { t } = useLingui();
  const label = t(alertRuleLabels[rule]);
  const limits = findUsualLimits(rule);
  return (
    <div className="flex break-inside-avoid flex-col gap-2 pb-1">
      <div className="flex min-h-8 items-center justify-between gap-3">
        <label htmlFor={readId(rule, "enabled")} className="flex min-w-0 items-center gap-2">
          <Checkbox
            id={readId(rule, "enabled")}
            checked={values.enabled}
            onChange={(event) => onChange({ ...values, enabled: event.target.checked })}
          />
          {label}
        </label>
        {!isUsual(rule, values) && (
          <Button size="sm" variant="ghost" onClick={() => onChange(buildUsualRuleValues(rule))}>
            <Trans>Reset</Trans> <span className="sr-only">{label}</span>
          </Button>
        )}
      </div>
      {limits && <RuleLimitFields {...{ rule, values, onChange, limits, label }} />}
      {canPause(rule) && (
        <label htmlFor={readId(rule, "pauses")} className="flex min-h-8 items-center gap-2 pl-6">
          <Checkbox
            id={readId(rule, "pauses")}
            checked={values.pauses}
            onChange={(event) => onChange({ ...values, pauses: event.target.checked })}
          />
          <Trans>Pause the key until a person resumes it</Trans>
        </label>
      )}
    </div>
  );
}

const readId = (rule: AlertRuleName, part: keyof RuleValues) => `alert-rule-${rule}-${part}`;
const unitSigns: Record<RuleLimitUnit, string> = { dollars: "$", percent: "%", times: "×" };

function RuleLimitFields({
  rule,
  values,
  onChange,
  limits,
  label,
}: RuleProps & { limits: UsualRuleLimits; label: string }) {
  const { t } = useLingui();
  const issue = findRuleLimitIssue(limits, values);
  const unit = unitSigns[limits.unit];
  const { max } = limits;
  const falls = beginsBelow(limits);
  const number = t`Enter a number from 0 to ${max}`;
  const beyond = falls
    ? t`Enter more than the value at which it begins`
    : t`Enter less than the value at which it begins`;
  const errors = {
    begins: issue === "begins_number" ? number : undefined,
    ends: issue === "ends_number" ? number : issue === "ends_beyond" ? beyond : undefined,
  };
  const labels = falls
    ? { begins: t`Begins below (${unit})`, ends: t`Ends at (${unit})` }
    : { begins: t`Begins at (${unit})`, ends: t`Ends below (${unit})` };
  const field = (part: "begins" | "ends") => {
    const [id, error, usual] = [readId(rule, part), errors[part], limits[part]];
    const help = values[part] === String(usual) ? undefined : t`Usually ${usual}`;
    const described = error === undefined ? help && "help" : "error";
    return (
      <FieldFrame id={id} label={labels[part]} help={help} error={error}>
        <Input
          id={id}
          inputMode="decimal"
          autoComplete="off"
          value={values[part]}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={described && `${id}-${described}`}
          onChange={(event) => onChange({ ...values, [part]: event.target.value })}
        />
      </FieldFrame>
    );
  };
  return (
    <fieldset className="grid grid-cols-2 gap-3 pl-6">
      <legend className="sr-only">{label}</legend>
      {field("begins")}
      {field("ends")}
    </fieldset>
  );
}
