import { useLingui } from "@lingui/react/macro";
import type { ChannelKey } from "@tollgate/contract/catalogue/channel-health.ts";
import { channelTypeIds, requiresKey } from "@tollgate/contract/catalogue/channel-types.ts";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import type { ChannelFormValues } from "./channel-form-values.ts";
import { formatKeyNames } from "./channel-health-summary.ts";
import { computeChannelCount } from "./channel-screen-rules.ts";
import { ChannelSecretField } from "./channel-secret-field.tsx";

/** Formats of keys that consist of several parts. */
const keyFormats: Readonly<Record<number, string>> = {
  15: "APIKey|SecretKey",
  16: "id.secret",
  18: "APPID|APISecret|APIKey",
  23: "AppId|SecretId|SecretKey",
};

type ChannelKeyFieldProps = {
  form: ContractForm<ChannelFormValues>;
  /** The hint of the stored key; undefined for a new channel. */
  stored: string | undefined;
  /** The stored keys of a multi-key channel. */
  storedKeys: readonly ChannelKey[];
};

export function ChannelKeyField({ form, stored, storedKeys }: ChannelKeyFieldProps) {
  const { t } = useLingui();
  const type = Number(useFieldValue(form, "type"));
  const authType = useFieldValue(form, "settings.auth_type");
  const isJwt = type === channelTypeIds.coze && authType === "oauth_jwt";
  const format = keyFormats[type];
  const hasSeveral = useFieldValue(form, "multi_key");
  const typed = useFieldValue(form, "key");
  const isTyped = typed !== "";
  const count =
    stored === undefined ? computeChannelCount({ key: typed, multi_key: hasSeveral }) : 1;
  const names = formatKeyNames(storedKeys);
  const help = [
    isJwt &&
      t`The JSON document with client_type, client_id, coze_www_base, coze_api_base, private_key and public_key_id.`,
    format !== undefined && t`Format: ${format}.`,
    hasSeveral && !isJwt && t`One key on each line.`,
    stored === undefined &&
      !isJwt &&
      !hasSeveral &&
      count === 1 &&
      t`Each line becomes its own channel.`,
    count > 1 && t`${count} lines: ${count} channels will be created, one for each line.`,
    stored === "" && names === "" && t`Leave empty to keep the stored one.`,
    stored && names === "" && t`The stored key ends in ${stored}. Leave empty to keep it.`,
    names !== "" && t`Stored: ${names}. Leave empty to keep them.`,
  ];
  return (
    <>
      <ChannelSecretField
        {...form.field("key")}
        label={t`API Key`}
        help={help.filter(Boolean).join(" ")}
        required={stored === undefined && requiresKey(type)}
        placeholder={stored ? `****${stored}` : ""}
        showLabel={t`Show API key`}
        hideLabel={t`Hide API key`}
      />
      {!isJwt && (
        <CheckboxField
          {...form.field("multi_key")}
          label={t`Several keys in one channel`}
          help={t`They are used in turn. A key that the provider refuses is paused or disabled, and the others stay in use.`}
        />
      )}
      {hasSeveral && names !== "" && isTyped && (
        <CheckboxField
          {...form.field("key_added")}
          label={t`Add to the stored keys`}
          help={t`When off, the keys you enter replace all stored keys.`}
        />
      )}
    </>
  );
}
