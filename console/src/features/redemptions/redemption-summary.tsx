import { Trans } from "@lingui/react/macro";
import { computeAmountTyped } from "../../components/forms/whole-number.ts";
import { Quota } from "../../components/quota.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import type { RedemptionFormValues } from "./redemption-form-values.ts";

type RedemptionSummaryProps = { form: ContractForm<RedemptionFormValues>; withCount: boolean };

/** `RedemptionSummary` shows what codes with the values of the form cost the operator. */
export function RedemptionSummary({ form, withCount }: RedemptionSummaryProps) {
  const quota = computeAmountTyped(useFieldValue(form, "quota"));
  const count = computeAmountTyped(useFieldValue(form, "count"));
  return (
    <FormSummary title={<Trans>What you give away</Trans>}>
      <SummaryLine name={<Trans>Each code</Trans>}>
        <Quota units={quota} />
      </SummaryLine>
      {withCount && (
        <SummaryLine name={<Trans>All together</Trans>}>
          <Quota units={quota * count} />
        </SummaryLine>
      )}
      <SummaryLine name={<Trans>Redeemed by</Trans>}>
        <Trans>The first user who enters the code. After that it is used.</Trans>
      </SummaryLine>
      <SummaryLine name={<Trans>Until then</Trans>}>
        <Trans>You can disable, change and delete it in the list</Trans>
      </SummaryLine>
    </FormSummary>
  );
}
