import { useLingui } from "@lingui/react/macro";
import type { DestinationKind } from "@tollgate/contract/notices/destinations.ts";
import { noticePlaceholders } from "@tollgate/contract/notices/notice-templates.ts";
import { PasswordField, TextAreaField, TextField } from "../../ui/form/field-text.tsx";
import { fieldsOfKind } from "./destination-form-values.ts";

type TargetFieldsProps = {
  kind: DestinationKind;
  /** `emptyMail` is where mail goes when no address is typed. */
  emptyMail: string;
};

/** `TargetFields` shows what leads to a receiver, by its kind. */
export function TargetFields({ kind, emptyMail }: TargetFieldsProps) {
  const { t } = useLingui();
  const asked = fieldsOfKind[kind];
  const placeholders = noticePlaceholders.map((name) => `{{${name}}}`).join(", ");
  const addressHelp: Partial<Record<DestinationKind, string>> = {
    mail: emptyMail,
    ntfy: t`With the topic at its end, as in https://ntfy.sh/my-topic.`,
  };
  const secretLabels: Partial<Record<DestinationKind, string>> = {
    telegram: t`Bot token`,
    ntfy: t`Access token (if the topic needs one)`,
  };
  return (
    <>
      {asked.includes("address") && (
        <TextField
          name="address"
          label={kind === "mail" ? t`Mail address` : t`Address`}
          help={
            addressHelp[kind] ??
            t`The address of the webhook, as the service shows it. It is not shown again.`
          }
          type={kind === "mail" ? "email" : "url"}
        />
      )}
      {asked.includes("secret") && (
        <PasswordField
          name="secret"
          label={secretLabels[kind] ?? t`Signing secret (if the bot has one)`}
        />
      )}
      {asked.includes("recipient") && (
        <TextField
          name="recipient"
          label={t`Chat`}
          help={t`The id of the chat, or @ and the name of a channel.`}
        />
      )}
      {asked.includes("headers") && (
        <TextAreaField
          name="headers"
          label={t`Headers`}
          help={t`One in each line, such as X-Gotify-Key: and the key. They are not shown again.`}
          rows={2}
        />
      )}
      {asked.includes("template") && (
        <TextAreaField
          name="template"
          label={t`Body (JSON)`}
          help={t`Placeholders: ${placeholders}. The priority is a number, all others stand within quotation marks.`}
          rows={4}
        />
      )}
    </>
  );
}
