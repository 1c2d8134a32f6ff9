import { useLingui } from "@lingui/react/macro";
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import type { ComponentType } from "react";
import { SelectField } from "../../ui/form/field-choice.tsx";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { JsonField } from "../../ui/form/json-editor.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelSecretField } from "./channel-secret-field.tsx";

type TypeSectionProps = { form: ContractForm<ChannelFormValues>; read: Channel | undefined };

/** The form sections of channel types that have settings of their own. */
export const typeSections: Readonly<Record<number, ComponentType<TypeSectionProps>>> = {
  [ids.azure]: AzureSection,
  [ids.qianwen]: QianwenSection,
  [ids.spark]: SparkSection,
  [ids.library]: LibrarySection,
  [ids.gemini]: GeminiSection,
  [ids.bedrock]: BedrockSection,
  [ids.coze]: CozeSection,
  [ids.cloudflare]: CloudflareSection,
  [ids.vertex]: VertexSection,
  [ids.compatible]: CompatibleSection,
};

function AzureSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  return (
    <TextField
      {...form.field("settings.api_version")}
      label={t`API Version`}
      placeholder="2024-03-01-preview"
      help={t`Sent with every call. The o1, o3 and o4 families use a newer version automatically.`}
      mono
    />
  );
}

function QianwenSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  return (
    <TextField
      {...form.field("settings.plugin")}
      label={t`Plugin`}
      help={t`Sent as the X-DashScope-Plugin header. Leave empty to send none.`}
      mono
    />
  );
}

const sparkVersions = ["v1.1", "v2.1", "v3.1", "v3.5"];

function SparkSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  const current = useFieldValue(form, "settings.api_version");
  const versions = [...new Set([...sparkVersions, current].filter((version) => version !== ""))];
  return (
    <SelectField
      {...form.field("settings.api_version")}
      label={t`Spark version`}
      choices={[
        { value: "", label: t`Default (v1.1)` },
        ...versions.map((version) => ({ value: version, label: version })),
      ]}
    />
  );
}

function LibrarySection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  return (
    <TextField
      {...form.field("settings.library_id")}
      label={t`Knowledge base ID`}
      help={t`The library at AI Proxy that answers draw from.`}
      mono
    />
  );
}

function GeminiSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  return (
    <TextField
      {...form.field("settings.api_version")}
      label={t`API Version`}
      placeholder="v1"
      help={t`Leave empty for v1, or v1beta with newer models.`}
      mono
    />
  );
}

function BedrockSection({ form, read }: TypeSectionProps) {
  const { t } = useLingui();
  return (
    <>
      <TextField
        {...form.field("settings.region")}
        label={t`Region`}
        placeholder="us-east-1"
        required
        mono
      />
      <TextField
        {...form.field("settings.ak")}
        label={t`Access key`}
        help={t`Leave empty where the secret key is an API key of Bedrock.`}
        mono
      />
      <PasswordField
        {...form.field("settings.sk")}
        label={t`Secret key`}
        required={read === undefined}
        help={read === undefined ? undefined : t`Leave empty to keep the stored one.`}
      />
      <JsonField
        {...form.field("inference_profile_arn_map")}
        label={t`Inference profile ARN map`}
        help={t`From a model's name to the ARN of its inference profile.`}
        rows={4}
      />
    </>
  );
}

function CozeSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  const authType = useFieldValue(form, "settings.auth_type");
  return (
    <>
      <SelectField
        {...form.field("settings.auth_type")}
        label={t`Authentication type`}
        choices={[
          // An unset value means this one, and stays unset.
          {
            value: authType === "" ? "" : "personal_access_token",
            label: t`Personal access token`,
          },
          { value: "oauth_jwt", label: t`OAuth JWT` },
        ]}
      />
      <TextField
        {...form.field("settings.user_id")}
        label={t`User ID`}
        help={t`Bots are called on behalf of this user.`}
        mono
      />
    </>
  );
}

function CloudflareSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  return <TextField {...form.field("settings.user_id")} label={t`Account ID`} mono />;
}

function VertexSection({ form, read }: TypeSectionProps) {
  const { t } = useLingui();
  const help = t`The JSON document of a service account.`;
  const keepStored = t`Leave empty to keep the stored one.`;
  return (
    <>
      <TextField
        {...form.field("settings.region")}
        label={t`Region`}
        placeholder="us-central1"
        required
        mono
      />
      <TextField
        {...form.field("settings.vertex_ai_project_id")}
        label={t`Project ID`}
        required
        mono
      />
      <ChannelSecretField
        {...form.field("settings.vertex_ai_adc")}
        label={t`Application Default Credentials`}
        help={read === undefined ? help : `${help} ${keepStored}`}
        required={read === undefined}
        showLabel={t`Show credentials`}
        hideLabel={t`Hide credentials`}
      />
    </>
  );
}

function CompatibleSection({ form }: TypeSectionProps) {
  const { t } = useLingui();
  const format = useFieldValue(form, "settings.api_format");
  return (
    <SelectField
      {...form.field("settings.api_format")}
      label={t`API Format`}
      help={t`Which of the two OpenAI interfaces the provider speaks.`}
      choices={[
        { value: format === "" ? "" : "chat_completion", label: t`Chat Completions` },
        { value: "response", label: t`Responses` },
      ]}
    />
  );
}
