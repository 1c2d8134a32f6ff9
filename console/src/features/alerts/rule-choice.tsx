import { Trans, useLingui } from "@lingui/react/macro";
import type { AlertRuleName } from "@tollgate/contract/notices/alert-rule-table.ts";
import { useId } from "react";
import { alertRuleLabels } from "../../components/failures/alert-rule-words.ts";
import { Checkbox } from "../../ui/form/input.tsx";
import { buildToggledRule } from "./destination-form-values.ts";

type RuleChoiceProps = {
  rules: readonly AlertRuleName[];
  chosen: readonly AlertRuleName[];
  onChange: (chosen: AlertRuleName[]) => void;
};

/** `RuleChoice` is about which rules a destination is told. */
export function RuleChoice({ rules, chosen, onChange }: RuleChoiceProps) {
  const { t } = useLingui();
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">
        <Trans>Only these rules (choose none for all)</Trans>
      </legend>
      {rules.map((rule) => (
        <label key={rule} htmlFor={`${id}-${rule}`} className="flex items-center gap-2">
          <Checkbox
            id={`${id}-${rule}`}
            checked={chosen.includes(rule)}
            onChange={() => onChange(buildToggledRule(chosen, rule))}
          />
          {t(alertRuleLabels[rule])}
        </label>
      ))}
    </fieldset>
  );
}
