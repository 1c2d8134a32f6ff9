import { Trans } from "@lingui/react/macro";
import { Quota } from "../../components/quota.tsx";
import { amountTyped } from "../../components/whole-number.ts";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { FormSummary, SummaryLine } from "../../ui/form-summary.tsx";
import type { RedemptionFormValues } from "./redemption-form-values.ts";

type RedemptionSummaryProps = { form: ContractForm<RedemptionFormValues>; withCount: boolean };

/** What codes with the values of the form cost the operator. */
export function RedemptionSummary({ form, withCount }: RedemptionSummaryProps) {
  const quota = amountTyped(useFieldValue(form, "quota"));
  const count = amountTyped(useFieldValue(form, "count"));
  return (
    <FormSummary title={<Trans>What is given away</Trans>}>
      <SummaryLine name={<Trans>Each code</Trans>}>
        <Quota units={quota} />
      </SummaryLine>
      {withCount && (
        <SummaryLine name={<Trans>All together</Trans>}>
          <Quota units={quota * count} />
        </SummaryLine>
      )}
      <SummaryLine name={<Trans>Redeemed by</Trans>}>
        <Trans>The first user who enters the code; then it is final</Trans>
      </SummaryLine>
      <SummaryLine name={<Trans>Until then</Trans>}>
        <Trans>It can be disabled, changed and deleted in the list</Trans>
      </SummaryLine>
    </FormSummary>
  );
}
