import { i18n } from "@lingui/core";
import { useLingui } from "@lingui/react/macro";
import {
  type ChannelIssue,
  formatChannelIssueMessage,
} from "@tollgate/contract/catalogue/channel-issues.ts";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import type { ReactNode } from "react";
import { GroupCheckboxesField } from "../../components/forms/group-checkboxes-field.tsx";
import { useFormDraft } from "../../components/forms/use-form-draft.ts";
import { hasFeature, useSession } from "../../session.ts";
import { NumberField, TextField } from "../../ui/form/field-text.tsx";
import { Form } from "../../ui/form/form.tsx";
import { type ContractForm, type FieldOf, useContractForm } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import { ChannelAdvancedSection } from "./channel-advanced-section.tsx";
import { type ChannelFormMessages, defineChannelFormSchema } from "./channel-form-schema.ts";
import type { ChannelFormOutput, ChannelFormValues } from "./channel-form-values.ts";
import { ChannelGeneralSection } from "./channel-general-section.tsx";
import { ChannelModelsSection } from "./channel-models-section.tsx";
import { addGroupToggled } from "./channel-screen-rules.ts";
import { ChannelSummary } from "./channel-summary.tsx";

type ChannelFormProps = {
  initial: ChannelFormValues;
  /** The edited channel. */
  read?: Channel;
  submit: ReactNode;
  submitting: ReactNode;
  onSubmit: (values: ChannelFormOutput) => Promise<unknown>;
  onReload?: () => void;
};

/** Keys of providers, and texts that may hold some. */
const fieldsWithSecrets = ["key", "headers", "settings", "config", "other"] as const;

export function ChannelForm({ initial, read, onSubmit, ...buttons }: ChannelFormProps) {
  const { t } = useLingui();
  const messages = useChannelFormMessages();
  const form = useFormDraft(
    useContractForm({ schema: defineChannelFormSchema(messages, read), initial, onSubmit }),
    fieldsWithSecrets,
  );
  const sections = [
    { id: "general", title: t`Provider` },
    { id: "models", title: t`Models and prices` },
    { id: "routing", title: t`Routing` },
    { id: "advanced", title: t`Advanced` },
  ];
  return (
    <Form
      form={form}
      {...buttons}
      cancelTo="/channels"
      sections={sections}
      summary={<ChannelSummary form={form} isNew={read === undefined} />}
      isReadOnly={read !== undefined && read.managed_by !== ""}
    >
      <ChannelGeneralSection form={form} read={read} />
      <ChannelModelsSection form={form} />
      <ChannelRoutingSection form={form} />
      <ChannelAdvancedSection form={form} />
    </Form>
  );
}

function useChannelFormMessages(): ChannelFormMessages {
  const { t } = useLingui();
  return {
    name: t`Channel name is required`,
    type: t`Channel type is required`,
    key: t`API key is required`,
    keyRequiredAgain: t`The address of the channel changed. Please enter the API key again`,
    keysRequiredAgain: t`The address of the channel changed. Please enter all API keys again`,
    remainingKey: t`Please enter the API key that stays`,
    headerRequired: t`Please enter the value of the header`,
    headerRequiredAgain: t`The address of the channel changed. Please enter the value of this header again`,
    headerRepeated: t`This header is already in the list`,
    required: t`This is required for this channel type`,
    mapping: t`Invalid JSON format in model mapping`,
    other: t`Invalid JSON format in other configuration`,
    config: t`Invalid JSON format in configuration`,
    arnMap: t`Invalid JSON format in inference profile ARN map`,
    priority: t`Priority must be a whole number`,
    weight: t`Weight must be non-negative`,
    ratelimit: t`Rate limit must be non-negative`,
    buyingFactor: t`The buying factor must be 0 or a number from 0.000001 to 1000`,
    issue: formatChannelIssueText,
  };
}

/**
 * The catalogue translates an issue by its code; without a translation the contract's English
 * sentence stands.
 */
function formatChannelIssueText(issue: ChannelIssue): string {
  const id = `channel.${issue.code}`;
  const translated = i18n._(id, issue.params);
  return translated === id ? formatChannelIssueMessage(issue) : translated;
}

function ChannelRoutingSection({ form }: { form: ContractForm<ChannelFormValues> }) {
  const { t } = useLingui();
  const canTag = hasFeature(useSession().status, "channel_tags");
  return (
    <FormSection id="routing" title={t`Routing`}>
      <ChannelGroupField {...form.field("groups")} />
      <div className="grid gap-5 sm:grid-cols-3">
        <NumberField
          {...form.field("priority")}
          label={t`Priority`}
          help={t`Higher serves first.`}
        />
        <NumberField
          {...form.field("weight")}
          label={t`Weight`}
          help={t`Among equal priorities, a higher weight gets more calls.`}
        />
        <NumberField
          {...form.field("ratelimit")}
          label={t`Rate limit`}
          help={t`Requests of each API key in 3 minutes; 0 for no limit.`}
        />
      </div>
      {canTag && (
        <TextField
          {...form.field("tag")}
          label={t`Tag`}
          help={t`Channels of one tag are filtered and edited together in the list.`}
          maxLength={64}
        />
      )}
    </FormSection>
  );
}

const defaultGroups = ["default"];

/** The groups whose users the channel serves. */
function ChannelGroupField({ name }: FieldOf<string[]>) {
  const { t } = useLingui();
  return (
    <GroupCheckboxesField
      name={name}
      help={t`Choose at least one. Without any, the channel is in "default".`}
      always={defaultGroups}
      toggled={addGroupToggled}
    />
  );
}
