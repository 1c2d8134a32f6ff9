import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import { listTokenGroups } from "@tollgate/contract/accounts/tokens.ts";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import type { ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { batchMax } from "../../components/batch/batch-names.ts";
import { ModelPicker } from "../../components/forms/model-picker.tsx";
import { QuotaField } from "../../components/forms/quota-field.tsx";
import { useFormDraft } from "../../components/forms/use-form-draft.ts";
import { tokenLimits } from "../../components/keys/token-limits.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CheckboxField, DateTimeField, SelectField } from "../../ui/form/field-choice.tsx";
import { NumberField, TextAreaField, TextField } from "../../ui/form/field-text.tsx";
import { Form } from "../../ui/form/form.tsx";
import {
  type ContractForm,
  type FieldOf,
  useContractForm,
  useFieldValue,
} from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import { formatInteger } from "../../ui/format.ts";
import { SpendingLimitSection } from "./spending-limit-section.tsx";
import {
  defineTokenFormSchema,
  type TokenFormOutput,
  type TokenFormValues,
} from "./token-form-values.ts";
import { TokenGroupsField } from "./token-groups-field.tsx";
import { TokenMcpField } from "./token-mcp-field.tsx";
import { expiryPresets, readExpiry } from "./token-screen-rules.ts";
import { TokenSummary } from "./token-summary.tsx";

type TokenFormProps = {
  initial: TokenFormValues;
  hasLimits: boolean;
  /** The name is a list of names, one a line. */
  isBatch?: boolean;
  /** The owner's spending limit and the budgets that administrators set for the key. */
  budgets?: readonly Budget[];
  submit: ReactNode;
  submitting: ReactNode;
  onSubmit: (values: TokenFormOutput) => Promise<unknown>;
  onReload?: () => void;
};

export function TokenForm({
  initial,
  hasLimits,
  isBatch = false,
  budgets = [],
  onSubmit,
  ...buttons
}: TokenFormProps) {
  const { t } = useLingui();
  const messages = {
    name: t`Token name is required`,
    expiry: t`Invalid expiration time`,
    quota: t`Quota must be non-negative`,
    spending: t`Enter an amount above $0`,
    limit: (max: number) => {
      const shown = formatInteger(max);
      return t`Enter a whole number from 0 to ${shown}`;
    },
    tags: t`Enter tags such as team=search,env=prod`,
    tagKeys: t`Enter at most five keys, such as team,env`,
    names: t`At most ${batchMax} names at once`,
  };
  const form = useFormDraft(
    useContractForm({ schema: defineTokenFormSchema(messages, isBatch), initial, onSubmit }),
  );
  const chosenGroups = useFieldValue(form, "groups").join(",");
  const models = useQuery({
    ...api.query(
      listAvailableModels,
      chosenGroups === "" ? {} : { query: { groups: chosenGroups } },
    ),
    placeholderData: keepPreviousData,
  });
  const { status } = useSession();
  const knowsGroups = hasFeature(status, "token_groups");
  const groups = useQuery({ ...api.query(listTokenGroups), enabled: knowsGroups }).data?.data ?? [];
  const offersClaude = (models.data?.data ?? []).some((model) => /claude/i.test(model));
  const isUnlimited = useFieldValue(form, "unlimited_quota");
  return (
    <Form
      form={form}
      {...buttons}
      cancelTo="/tokens"
      summary={
        <TokenSummary
          form={form}
          budgets={budgets}
          offered={models.data?.data ?? []}
          hasLimits={hasLimits}
          isBatch={isBatch}
        />
      }
    >
      {isBatch ? (
        <TextAreaField
          {...form.field("name")}
          label={t`Names`}
          help={t`One name per line.`}
          rows={6}
          required
        />
      ) : (
        <TextField {...form.field("name")} label={t`Token Name`} required />
      )}
      <ModelPicker
        {...form.field("models")}
        label={t`Allowed Models`}
        help={
          chosenGroups === ""
            ? t`Choose none to allow all models of your group.`
            : t`Choose none to allow all models of these groups.`
        }
        offered={models.data?.data ?? []}
        isLoading={models.isPending}
        emptyReason={
          models.error !== null && (
            <ModelsFailed reason={models.error.message} onRetry={() => void models.refetch()} />
          )
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
      <ExpiryField
        {...form.field("expired_time")}
        onPreset={(value) => form.set("expired_time", value)}
      />
      <CheckboxField {...form.field("unlimited_quota")} label={t`Unlimited Quota`} />
      <QuotaField
        {...form.field("remain_quota")}
        label={t`Remaining Quota`}
        disabled={isUnlimited}
      />
      <SpendingLimitSection form={form} budgets={budgets} />
      {hasLimits && <TokenLimitsSection form={form} />}
      {(status.keeps_bodies === true || initial.bodies !== "") && (
        <TokenContentsField {...form.field("bodies")} />
      )}
      {(status.caches_answers === true || initial.cache_seconds !== "0") && (
        <NumberField
          {...form.field("cache_seconds")}
          label={t`Oldest cached answer, in seconds`}
          help={t`A call that sends x-tollgate-cache may get an earlier answer of your account, up to this age. 0: never.`}
        />
      )}
      {(initial.prompt_marks !== "" || (offersClaude && hasFeature(status, "prompt_marks"))) && (
        <TokenMarksField {...form.field("prompt_marks")} />
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

function TokenLimitsSection({ form }: { form: ContractForm<TokenFormValues> }) {
  const { t } = useLingui();
  return (
    <FormSection id="limits" title={t`Rate limits`} help={t`0 means no limit.`}>
      <div className="grid gap-5 sm:grid-cols-3">
        {tokenLimits.map(({ name, label }) => (
          <NumberField key={name} {...form.field(name)} label={t(label)} />
        ))}
      </div>
    </FormSection>
  );
}

/**
 * `TokenContentsField` sets how much of the contents of a key's calls is kept, and tells who can
 * read it.
 */
function TokenContentsField(field: FieldOf<string>) {
  const { t } = useLingui();
  return (
    <SelectField
      {...field}
      label={t`Contents of calls`}
      help={t`The gateway keeps prompts and answers, encrypted, for you and your administrators, and records each view. It deletes them with the key, or after the days set for them.`}
      choices={[
        { value: "", label: t`Keep nothing` },
        { value: "redacted", label: t`Keep without credentials and attachments` },
        { value: "full", label: t`Keep everything` },
      ]}
    />
  );
}

/** `TokenMarksField` is for keys of clients that set no marks, or must not have any. */
function TokenMarksField(field: FieldOf<string>) {
  const { t } = useLingui();
  return (
    <SelectField
      {...field}
      label={t`Marks for the prompt cache`}
      help={t`For Claude, and clients that set none: later turns read the same beginning for a tenth of its price; writing it costs a quarter more.`}
      choices={[
        { value: "", label: t`As the channel says` },
        { value: "on", label: t`Set by the gateway` },
        { value: "off", label: t`Not set by the gateway` },
      ]}
    />
  );
}

function TokenTagsSection({ form }: { form: ContractForm<TokenFormValues> }) {
  const { t } = useLingui();
  return (
    <FormSection id="tags" title={t`Tags`} help={t`Filter logs and group spending by these.`}>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          {...form.field("tags")}
          label={t`Fixed tags`}
          placeholder="team=search,env=prod"
          help={t`Added to every call; clients cannot change them.`}
          mono
        />
        <TextField
          {...form.field("required_tags")}
          label={t`Required tags`}
          placeholder="team"
          help={t`Calls without these tags are refused.`}
          mono
        />
      </div>
    </FormSection>
  );
}

type ExpiryFieldProps = FieldOf<string> & { onPreset: (value: string) => void };

/** A date and time field with presets relative to now. */
function ExpiryField({ name, onPreset }: ExpiryFieldProps) {
  const { t } = useLingui();
  const presets = [
    { label: t`Never Expire`, value: () => "" },
    { label: t`1 Month`, value: () => readExpiry(expiryPresets.month, new Date()) },
    { label: t`1 Day`, value: () => readExpiry(expiryPresets.day, new Date()) },
    { label: t`1 Hour`, value: () => readExpiry(expiryPresets.hour, new Date()) },
    { label: t`1 Minute`, value: () => readExpiry(expiryPresets.minute, new Date()) },
    { label: t`7 Days`, value: () => readExpiry(expiryPresets.week, new Date()) },
    { label: t`90 Days`, value: () => readExpiry(expiryPresets.quarter, new Date()) },
    { label: t`1 Year`, value: () => readExpiry(expiryPresets.year, new Date()) },
  ];
  return (
    <div className="flex flex-col gap-2">
      <DateTimeField
        name={name}
        label={t`Expiration Time`}
        help={t`In your time zone. Empty: never.`}
      />
      <div className="flex flex-wrap gap-1.5">
        {presets.map(({ label, value }) => (
          <Button key={label} size="sm" onClick={() => onPreset(value())}>
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}
