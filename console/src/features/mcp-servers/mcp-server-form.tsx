import { useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect } from "react";
import { GroupCheckboxesField } from "../../components/forms/group-checkboxes-field.tsx";
import { DollarField } from "../../components/forms/quota-field.tsx";
import { CheckboxField } from "../../ui/form/field-choice.tsx";
import { NumberField, TextField } from "../../ui/form/field-text.tsx";
import { Form } from "../../ui/form/form.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormSection } from "../../ui/form/form-sections.tsx";
import {
  addTools,
  defineMcpServerFormSchema,
  type McpServerFormOutput,
  type McpServerFormValues,
  timeoutSeconds,
} from "./mcp-server-form-values.ts";
import { McpServerHeadersField } from "./mcp-server-headers-field.tsx";
import { McpServerToolsField } from "./mcp-server-tools-field.tsx";

type McpServerFormProps = {
  initial: McpServerFormValues;
  /** Names of the headers that the server has; their values are never shown. */
  storedHeaders: readonly string[];
  /** `foundTools` are what a test of the server has found. */
  foundTools?: readonly string[];
  submit: ReactNode;
  submitting: ReactNode;
  onSubmit: (values: McpServerFormOutput) => Promise<unknown>;
  onReload?: () => void;
  /** The server would refuse every change but of the status. */
  isReadOnly?: boolean;
};

const noTools: readonly string[] = [];

const addToggled = (chosen: readonly string[], group: string): string[] =>
  chosen.includes(group) ? chosen.filter((other) => other !== group) : [...chosen, group];

export function McpServerForm({
  initial,
  storedHeaders,
  foundTools = noTools,
  onSubmit,
  ...buttons
}: McpServerFormProps) {
  const { t } = useLingui();
  const { min, max } = timeoutSeconds;
  const messages = {
    name: t`A letter first, then lower-case letters, digits and hyphens; 31 at most`,
    url: t`Enter the server's address, beginning with https://`,
    header: t`Name and value are required`,
    price: t`Enter a whole number of units, 0 or more`,
    timeout: t`Enter a whole number from ${min} to ${max}`,
    tools: t`Choose at least one tool, or offer all of them`,
  };
  const form = useContractForm({ schema: defineMcpServerFormSchema(messages), initial, onSubmit });
  const { getValues, setValue } = form.methods;
  useEffect(() => {
    if (foundTools.length > 0) setValue("tools", addTools(getValues("tools"), foundTools));
  }, [foundTools, getValues, setValue]);
  return (
    <Form form={form} {...buttons} cancelTo="/channels/mcp">
      <TextField
        {...form.field("name")}
        label={t`Name`}
        help={t`Part of the address for clients, and the first part of its tools' names.`}
        mono
        required
        maxLength={31}
      />
      <TextField {...form.field("description")} label={t`Description`} maxLength={200} />
      <TextField
        {...form.field("url")}
        label={t`Address of the server`}
        help={t`On the public internet, or at a host that MCP_PRIVATE_HOSTS names.`}
        placeholder="https://mcp.example.com/rpc"
        type="url"
        mono
        required
        maxLength={500}
      />
      <McpServerHeadersField form={form} stored={storedHeaders} />
      <CheckboxField {...form.field("enabled")} label={t`Enabled`} />
      <FormSection id="access" title={t`Who may use it`}>
        <CheckboxField
          {...form.field("named_only")}
          label={t`Only API keys that name it`}
          help={t`When off, every API key of the groups can use it, unless the key has its own list.`}
        />
        <GroupCheckboxesField
          {...form.field("groups")}
          help={t`Choose none to allow every group.`}
          toggled={addToggled}
        />
      </FormSection>
      <FormSection id="tools" title={t`Tools and prices`}>
        <DollarField
          {...form.field("call_price")}
          label={t`Price of a call`}
          note={t`Charged only for a result.`}
        />
        <McpServerToolsField form={form} />
        <NumberField
          {...form.field("timeout_seconds")}
          label={t`Time limit of a call, in seconds`}
          help={t`A call without a whole answer by then ends, free of charge.`}
        />
      </FormSection>
    </Form>
  );
}
