import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  listTokenMcpServers,
  mcpToolEntryPattern,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { api } from "../../api-queries.ts";
import { EntryInput } from "../../components/forms/entry-input.tsx";
import { Quota } from "../../components/quota.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldHelp, useField } from "../../ui/form/form-field.tsx";
import { Checkbox } from "../../ui/form/input.tsx";

/** The MCP servers and single tools that a token may use; none for those that need not be named. */
export function TokenMcpField({ name }: FieldOf<string[]>) {
  const { t } = useLingui();
  const help = t`Choose none to allow all servers that are open to every key.`;
  const { id, field, error } = useField<string[]>(name, { help });
  const servers =
    useQuery({ ...api.query(listTokenMcpServers), select: (reply) => reply.data }).data ?? [];
  const chosen = field.value;
  const offered = servers.flatMap((server) => [
    { entry: server.name, note: server.description, price: server.call_price },
    ...server.tools.map((tool) => ({
      entry: `${server.name}/${tool}`,
      note: "",
      price: server.tool_prices[tool] ?? server.call_price,
    })),
  ]);
  // What was typed, and what is no longer open to the owner.
  const others = chosen.filter((entry) => !offered.some((one) => one.entry === entry));
  if (offered.length === 0 && others.length === 0) return null;
  const toggle = (entry: string) =>
    field.onChange(
      chosen.includes(entry) ? chosen.filter((other) => other !== entry) : [...chosen, entry],
    );
  const rows = [...offered, ...others.map((entry) => ({ entry, note: "", price: undefined }))];
  return (
    <fieldset
      aria-describedby={error === undefined ? `${id}-help` : `${id}-error`}
      className="flex flex-col gap-1.5"
    >
      <legend className="mb-1.5 font-medium">
        <Trans>MCP servers and tools</Trans>
      </legend>
      <ul className="flex max-h-72 flex-col gap-1 overflow-y-auto">
        {rows.map(({ entry, note, price }) => (
          <li key={entry}>
            <label htmlFor={`${id}-${entry}`} className="flex items-start gap-2">
              <Checkbox
                id={`${id}-${entry}`}
                checked={chosen.includes(entry)}
                onChange={() => toggle(entry)}
                onBlur={field.onBlur}
              />
              <span className="min-w-0 flex-1 py-0.5 [overflow-wrap:anywhere]">
                <span className="font-mono text-sm">{entry}</span>
                {note !== "" && <span className="text-muted text-sm"> {note}</span>}
              </span>
              {price !== undefined && (
                <span className="py-0.5 text-muted text-sm">
                  <Quota units={price} /> <Trans>a call</Trans>
                </span>
              )}
            </label>
          </li>
        ))}
      </ul>
      <FieldHelp id={id} help={help} error={error} />
      {/* For tools of a server that offers all it has: their names are not known here. */}
      <EntryInput
        label={t`A single tool, as server/tool`}
        pattern={mcpToolEntryPattern}
        wrong={t`Enter a server, or a tool such as search/find_pages`}
        maxLength={160}
        onEntry={(entry) => !chosen.includes(entry) && toggle(entry)}
      />
    </fieldset>
  );
}
