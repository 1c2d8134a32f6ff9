import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listTokenMcpServers, mcpToolEntryPattern } from "@tollgate/contract/mcp-servers.ts";
import { type KeyboardEvent, useId, useState } from "react";
import { api } from "../../api-queries.ts";
import { Quota } from "../../components/quota.tsx";
import { Button } from "../../ui/button.tsx";
import type { FieldOf } from "../../ui/form-contract.ts";
import { FieldFrame, FieldHelp, useField } from "../../ui/form-field.tsx";
import { Checkbox, Input } from "../../ui/input.tsx";

/** The MCP servers and single tools that a token may use; none for those that need not be named. */
export function TokenMcpField({ name }: FieldOf<string[]>) {
  const { t } = useLingui();
  const help = t`None chosen: the servers that are open to every key. Else only those that are chosen.`;
  const { id, field, error } = useField<string[]>(name, { help });
  const servers = useQuery({ ...api.query(listTokenMcpServers), select: (reply) => reply.data }).data ?? [];
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
    field.onChange(chosen.includes(entry) ? chosen.filter((other) => other !== entry) : [...chosen, entry]);
  const rows = [...offered, ...others.map((entry) => ({ entry, note: "", price: undefined }))];
  return (
    <fieldset aria-describedby={error === undefined ? `${id}-help` : `${id}-error`} className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-medium">
        <Trans>MCP servers and tools</Trans>
      </legend>
      <ul className="flex max-h-72 flex-col gap-1 overflow-y-auto">
        {rows.map(({ entry, note, price }) => (
          <li key={entry}>
            <label htmlFor={`${id}-${entry}`} className="flex items-baseline gap-2">
              <Checkbox
                id={`${id}-${entry}`}
                checked={chosen.includes(entry)}
                onChange={() => toggle(entry)}
                onBlur={field.onBlur}
              />
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <span className="font-mono text-sm">{entry}</span>
                {note !== "" && <span className="text-muted text-sm"> {note}</span>}
              </span>
              {price !== undefined && (
                <span className="text-muted text-sm">
                  <Quota units={price} /> <Trans>a call</Trans>
                </span>
              )}
            </label>
          </li>
        ))}
      </ul>
      <FieldHelp id={id} help={help} error={error} />
      <EntryInput onEntry={(entry) => !chosen.includes(entry) && toggle(entry)} />
    </fieldset>
  );
}

/** For tools of a server that offers all it has: their names are not known here. */
function EntryInput({ onEntry }: { onEntry: (entry: string) => void }) {
  const { t } = useLingui();
  const id = useId();
  const [typed, setTyped] = useState("");
  const entry = typed.trim();
  const isWrong = entry !== "" && !mcpToolEntryPattern.test(entry);
  const add = () => {
    if (entry === "" || isWrong) return;
    onEntry(entry);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // Enter must not save the form.
    event.preventDefault();
    add();
  };
  return (
    <FieldFrame
      id={id}
      label={t`A single tool, as server/tool`}
      error={isWrong ? t`Must be a server or a tool such as search/find_pages` : undefined}
    >
      <div className="flex gap-2">
        <Input
          id={id}
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? `${id}-error` : undefined}
          className="font-mono text-sm!"
          autoComplete="off"
          maxLength={160}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={onKeyDown}
        />
        <Button onClick={add}>
          <Trans>Add</Trans>
        </Button>
      </div>
    </FieldFrame>
  );
}
