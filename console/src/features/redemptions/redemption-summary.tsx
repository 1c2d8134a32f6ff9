import { Trans } from "@lingui/react/macro";
import { Quota } from "../../components/quota.tsx";
import { amountTyped } from "../../components/whole-number.ts";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form-summary.tsx";
import { formatInteger } from "../../ui/format.ts";
import type { RedemptionFormValues } from "./redemption-form-values.ts";

/** How many codes a form creates, and what they pay together. */
export function RedemptionSummary({ form }: { form: ContractForm<RedemptionFormValues> }) {
  const each = amountTyped(useFieldValue(form, "quota"));
  const count = amountTyped(useFieldValue(form, "count"));
  return (
    <FormSummary title={<Trans>What is created</Trans>}>
      <SummaryLine name={<Trans>Count</Trans>}>{formatInteger(count)}</SummaryLine>
      <SummaryLine name={<Trans>Quota</Trans>}>
        <p>
          <Trans>
            <Quota units={each} /> each
          </Trans>
        </p>
        <p>
          <Trans>
            <Quota units={count * each} /> for all of them
          </Trans>
        </p>
      </SummaryLine>
    </FormSummary>
  );
}
