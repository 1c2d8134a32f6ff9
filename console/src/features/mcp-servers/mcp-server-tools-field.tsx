import { Trans, useLingui } from "@lingui/react/macro";
import { mcpToolPattern, mcpToolsMax } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { useId } from "react";
import { EntryInput } from "../../components/forms/entry-input.tsx";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { NumberField } from "../../ui/form/field-text.tsx";
import { type ContractForm, useFieldValue } from "../../ui/form/form-contract.ts";
import { Checkbox } from "../../ui/form/input.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { addTools, type McpServerFormValues } from "./mcp-server-form-values.ts";

/**
 * `McpServerToolsField` says which tools are offered, and those that cost something else than the
 * server's price.
 */
export function McpServerToolsField({ form }: { form: ContractForm<McpServerFormValues> }) {
  const { t } = useLingui();
  const tools = useFieldValue(form, "tools");
  const isLimited = useFieldValue(form, "is_limited");
  return (
    <>
      <CheckboxField
        {...form.field("is_limited")}
        label={t`Offer only the tools that are chosen`}
        help={t`When off, every tool of the server is offered, including new ones.`}
      />
      {tools.length === 0 ? (
        <p className="text-muted text-sm">
          <Trans>No tools yet. Test the server to list its tools here.</Trans>
        </p>
      ) : (
        <ScrollRegion label={t`Tools and prices`} className="max-h-96 overflow-y-auto">
          <ul className="flex flex-col divide-y divide-line">
            {tools.map(({ name, offered }, at) => (
              <li key={name} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
                <ToolName
                  name={name}
                  isOffered={isLimited ? offered : undefined}
                  onOffered={(now) => {
                    form.set(`tools.${at}.offered`, now);
                    form.methods.clearErrors("is_limited");
                  }}
                />
                <div className="w-44">
                  <NumberField
                    {...form.field(`tools.${at}.price`)}
                    label={<span className="sr-only">{t`Units for a call of ${name}`}</span>}
                    placeholder={t`Price of the server`}
                  />
                </div>
              </li>
            ))}
          </ul>
        </ScrollRegion>
      )}
      {tools.length < mcpToolsMax && (
        <EntryInput
          label={t`Name a tool`}
          pattern={mcpToolPattern}
          wrong={t`A tool's name has letters, digits and _ . / - alone`}
          maxLength={128}
          onEntry={(name) => form.set("tools", markOffered(addTools(tools, [name]), name))}
        />
      )}
    </>
  );
}

/** A tool that an administrator names is offered from then on. */
const markOffered = (tools: McpServerFormValues["tools"], name: string) =>
  tools.map((tool) => (tool.name === name ? { ...tool, offered: true } : tool));

type ToolNameProps = {
  name: string;
  isOffered: boolean | undefined;
  onOffered: (isOffered: boolean) => void;
};

function ToolName({ name, isOffered, onOffered }: ToolNameProps) {
  const id = useId();
  const shown = <span className="font-mono text-sm [overflow-wrap:anywhere]">{name}</span>;
  if (isOffered === undefined) return <span className="min-w-0 flex-1 basis-48">{shown}</span>;
  return (
    <label htmlFor={id} className="flex min-w-0 flex-1 basis-48 items-center gap-2">
      <Checkbox id={id} checked={isOffered} onChange={({ target }) => onOffered(target.checked)} />
      {shown}
    </label>
  );
}
