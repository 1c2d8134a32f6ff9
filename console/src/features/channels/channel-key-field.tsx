import { useLingui } from "@lingui/react/macro";
import { type ContractForm, useFieldValue } from "../../ui/form-contract.ts";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { ChannelSecretField } from "./channel-secret-field.tsx";
import { channelTypeIds } from "./channel-settings.ts";

/** Keys of several parts. */
const formats: Readonly<Record<number, string>> = {
  15: "APIKey|SecretKey",
  16: "id.secret",
  18: "APPID|APISecret|APIKey",
  23: "AppId|SecretId|SecretKey",
};

/** `stored` is undefined for a new channel, and otherwise what is known of the key that is kept. */
export function ChannelKeyField({
  form,
  stored,
}: {
  form: ContractForm<ChannelFormValues>;
  stored: string | undefined;
}) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  const authType = useFieldValue(form, "settings.auth_type");
  const isJwt = type === channelTypeIds.coze && authType === "oauth_jwt";
  const format = formats[type];
  const help = [
    isJwt &&
      t`The JSON document with client_type, client_id, coze_www_base, coze_api_base, private_key and public_key_id.`,
    format !== undefined && t`Format: ${format}.`,
    stored === undefined && !isJwt && t`One channel is created for each line.`,
    stored === "" && t`Leave empty to keep the stored one.`,
    stored && t`The stored key ends in ${stored}. Leave empty to keep it.`,
  ];
  return (
    <ChannelSecretField
      {...form.field("key")}
      label={t`API Key`}
      help={help.filter(Boolean).join(" ")}
      required={stored === undefined}
      placeholder={stored ? `****${stored}` : ""}
      show={t`Show API key`}
      hide={t`Hide API key`}
    />
  );
}
