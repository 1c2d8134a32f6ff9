import { Trans, useLingui } from "@lingui/react/macro";
import { Plus, Trash } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import type { McpServerFormValues } from "./mcp-server-form-values.ts";

const headersMax = 20;

type McpServerHeadersFieldProps = {
  form: ContractForm<McpServerFormValues>;
  stored: readonly string[];
};

/**
 * The headers with the server's credentials, one row each. Stored ones stay, or are replaced
 * together.
 */
export function McpServerHeadersField({ form, stored }: McpServerHeadersFieldProps) {
  const { t } = useLingui();
  const headers = useFieldValue(form, "headers");
  const isReplacing = useFieldValue(form, "replaces_headers");
  const names = stored.join(", ");
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1.5 font-medium">
        <Trans>Headers</Trans>
      </legend>
      <p className="text-muted text-sm">
        <Trans>
          Sent with each request to the server, such as its key in Authorization. They are stored
          encrypted and never shown.
        </Trans>
      </p>
      {stored.length > 0 && (
        <>
          <p className="[overflow-wrap:anywhere]">{t`Set, not shown: ${names}`}</p>
          <CheckboxField
            {...form.field("replaces_headers")}
            label={t`Replace them`}
            help={t`By the ones entered here, or by none. Another host needs new ones.`}
          />
        </>
      )}
      {isReplacing && (
        <>
          {headers.map(({ name }, at) => (
            // Rows have no identity of their own: the form holds their texts by place.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <div key={at} className="grid items-start gap-2 sm:grid-cols-[1fr_1fr_auto]">
              <TextField {...form.field(`headers.${at}.name`)} label={t`Header name`} mono />
              <PasswordField {...form.field(`headers.${at}.value`)} label={t`Header value`} />
              <div className="sm:pt-7">
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
          {headers.length < headersMax && (
            <div>
              <Button
                size="sm"
                onClick={() => form.set("headers", [...headers, { name: "", value: "" }])}
              >
                <Plus />
                <Trans>Add a header</Trans>
              </Button>
            </div>
          )}
        </>
      )}
    </fieldset>
  );
}
