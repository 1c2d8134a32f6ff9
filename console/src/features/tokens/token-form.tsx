import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Budget } from "@tollgate/contract/budgets.ts";
import { listTokenGroups } from "@tollgate/contract/tokens.ts";
import { listAvailableModels } from "@tollgate/contract/users.ts";
import type { ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { batchMax } from "../../components/batch/batch-names.ts";
import { ModelPicker } from "../../components/model-picker.tsx";
import { QuotaField } from "../../components/quota-field.tsx";
import { useFormDraft } from "../../components/use-form-draft.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CheckboxField } from "../../ui/field-choice.tsx";
import { NumberField, TextAreaField, TextField } from "../../ui/field-text.tsx";
import { Form } from "../../ui/form.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { formatInteger } from "../../ui/format.ts";
import { SpendingLimitSection } from "./spending-limit-section.tsx";
import { TokenContentsField } from "./token-contents-field.tsx";
import { ExpiryField } from "./token-expiry-field.tsx";
import { type TokenFormOutput, type TokenFormValues, tokenFormSchema } from "./token-form-values.ts";
import { TokenGroupsField } from "./token-groups-field.tsx";
import { TokenLimitsSection } from "./token-limits-section.tsx";
import { TokenMcpField } from "./token-mcp-field.tsx";
import { TokenSummary } from "./token-summary.tsx";
import { TokenTagsSection } from "./token-tags-section.tsx";

type TokenFormProps = {
  initial: TokenFormValues;
  hasLimits: boolean;
  /** The name is a list of names, one a line. */
  isBatch?: boolean;
  /** The spending limit that the token has. */
  spending?: Budget | undefined;
  activity?: ReactNode;
  submit: ReactNode;
  submitting: ReactNode;
  onSubmit: (values: TokenFormOutput) => Promise<unknown>;
  onReload?: () => void;
};

export function TokenForm({ initial, hasLimits, isBatch = false, spending, onSubmit, ...buttons }: TokenFormProps) {
  const { t } = useLingui();
  const messages = {
    name: t`Token name is required`,
    expiry: t`Invalid expiration time`,
    quota: t`Quota must be non-negative`,
    spending: t`Must be a whole number of units above 0`,
    limit: (max: number) => {
      const shown = formatInteger(max);
      return t`Must be a whole number from 0 to ${shown}`;
    },
    tags: t`Must be tags such as team=search,env=prod`,
    tagKeys: t`Must be at most five keys such as team,env`,
    names: t`At most ${batchMax} names at once`,
  };
  const form = useFormDraft(useContractForm({ schema: tokenFormSchema(messages, isBatch), initial, onSubmit }));
  const chosenGroups = useFieldValue(form, "groups").join(",");
  const models = useQuery({
    ...api.query(listAvailableModels, chosenGroups === "" ? {} : { query: { groups: chosenGroups } }),
    placeholderData: keepPreviousData,
  });
  const { status } = useSession();
  const knowsGroups = hasFeature(status, "token_groups");
  const groups = useQuery({ ...api.query(listTokenGroups), enabled: knowsGroups }).data?.data ?? [];
  const isUnlimited = useFieldValue(form, "unlimited_quota");
  return (
    <Form
      form={form}
      {...buttons}
      cancelTo="/tokens"
      summary={<TokenSummary form={form} offered={models.data?.data ?? []} hasLimits={hasLimits} isBatch={isBatch} />}
    >
      {isBatch ? (
        <TextAreaField {...form.field("name")} label={t`Names`} help={t`One a line.`} rows={6} required />
      ) : (
        <TextField {...form.field("name")} label={t`Token Name`} required />
      )}
      <ModelPicker
        {...form.field("models")}
        label={t`Allowed Models`}
        help={
          chosenGroups === "" ? t`None chosen: all models of your group.` : t`None chosen: all models of these groups.`
        }
        offered={models.data?.data ?? []}
        isLoading={models.isPending}
        emptyReason={
          models.error !== null && <ModelsFailed reason={models.error.message} onRetry={() => void models.refetch()} />
        }
      />
      <TextField
        {...form.field("subnet")}
        label={t`IP Restriction (Optional)`}
        placeholder={t`192.168.0.0/24 or 203.0.113.7`}
        help={t`Allowed IP addresses or ranges, separated by commas. Empty: any.`}
        mono
      />
      {(groups.length > 1 || initial.groups.length > 0) && (
        <TokenGroupsField {...form.field("groups")} offered={groups} />
      )}
      {hasFeature(status, "mcp_servers") && <TokenMcpField {...form.field("mcp_tools")} />}
      <ExpiryField {...form.field("expired_time")} onPreset={(value) => form.set("expired_time", value)} />
      <CheckboxField {...form.field("unlimited_quota")} label={t`Unlimited Quota`} />
      <QuotaField {...form.field("remain_quota")} label={t`Remaining Quota`} disabled={isUnlimited} />
      <SpendingLimitSection form={form} current={spending} />
      {hasLimits && <TokenLimitsSection form={form} />}
      {(status.keeps_bodies === true || initial.bodies !== "") && <TokenContentsField {...form.field("bodies")} />}
      {(status.caches_answers === true || initial.cache_seconds !== "0") && (
        <NumberField
          {...form.field("cache_seconds")}
          label={t`Oldest cached answer, in seconds`}
          help={t`A call that sends x-tollgate-cache gets an answer that your account got before, up to this age. 0: none.`}
        />
      )}
      {hasFeature(status, "tags") && <TokenTagsSection form={form} />}
    </Form>
  );
}

function ModelsFailed({ reason, onRetry }: { reason: string; onRetry: () => void }) {
  return (
    <div role="alert" className="flex items-center justify-between gap-3 text-bad">
      <span>{reason}</span>
      <Button size="sm" onClick={onRetry}>
        <Trans>Retry</Trans>
      </Button>
    </div>
  );
}
