import { Trans, useLingui } from "@lingui/react/macro";
import { PencilLine, Plus, Trash } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { ChannelFormValues } from "./channel-form-values.ts";

/** The gateway replaces this with the channel's key in a header. */
const keyPlace = "{{key}}";
const newHeader = { name: "", value: "", isStored: false };

/**
 * Custom headers, one row each. A stored value is never shown: it can be kept, replaced or removed.
 */
export function ChannelHeadersField({ form }: { form: ContractForm<ChannelFormValues> }) {
  const { t } = useLingui();
  const headers = useFieldValue(form, "headers");
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1.5 font-medium">
        <Trans>Custom headers</Trans>
      </legend>
      <p className="text-muted text-sm">
        {t`Sent with every call of this channel. Values are secrets: they are stored encrypted and never shown. ${keyPlace} stands for the API key.`}
      </p>
      {headers.map(({ name, isStored }, at) => (
        // Rows have no identity of their own: the form holds their texts by place.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <div key={at} className="grid items-start gap-2 sm:grid-cols-[1fr_1fr_auto]">
          <TextField
            {...form.field(`headers.${at}.name`)}
            label={t`Header name`}
            disabled={isStored}
            mono
          />
          {isStored ? (
            <TextField
              {...form.field(`headers.${at}.value`)}
              label={t`Header value`}
              placeholder={t`Set, not shown`}
              disabled
            />
          ) : (
            <PasswordField {...form.field(`headers.${at}.value`)} label={t`Header value`} />
          )}
          <div className="flex gap-1 sm:pt-7">
            {isStored && (
              <IconButton
                label={t`Replace the value of ${name}`}
                icon={<PencilLine />}
                onClick={() =>
                  form.set(
                    "headers",
                    headers.map((header, other) =>
                      other === at ? { ...header, isStored: false } : header,
                    ),
                  )
                }
              />
            )}
            <IconButton
              label={t`Remove the header ${name}`}
              icon={<Trash />}
              onClick={() =>
                form.set(
                  "headers",
                  headers.filter((_, other) => other !== at),
                )
              }
            />
          </div>
        </div>
      ))}
      <div>
        <Button
          variant="secondary"
          size="sm"
          onClick={() => form.set("headers", [...headers, newHeader])}
        >
          <Plus />
          <Trans>Add a header</Trans>
        </Button>
      </div>
    </fieldset>
  );
}
