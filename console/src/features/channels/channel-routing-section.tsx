import { useLingui } from "@lingui/react/macro";
import { hasFeature, useSession } from "../../session.ts";
import { NumberField, TextField } from "../../ui/form/field-text.tsx";
import type { ContractForm } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelGroupField } from "./channel-group-field.tsx";

export function ChannelRoutingSection({ form }: { form: ContractForm<ChannelFormValues> }) {
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
