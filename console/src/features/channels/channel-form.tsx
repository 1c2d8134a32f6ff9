import { useLingui } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import type { ReactNode } from "react";
import { useFormDraft } from "../../components/forms/use-form-draft.ts";
import { Form } from "../../ui/form/form.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { ChannelAdvancedSection } from "./channel-advanced-section.tsx";
import { useChannelFormMessages } from "./channel-form-messages.ts";
import { defineChannelFormSchema } from "./channel-form-schema.ts";
import type { ChannelFormOutput, ChannelFormValues } from "./channel-form-values.ts";
import { ChannelGeneralSection } from "./channel-general-section.tsx";
import { ChannelModelsSection } from "./channel-models-section.tsx";
import { ChannelRoutingSection } from "./channel-routing-section.tsx";
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
