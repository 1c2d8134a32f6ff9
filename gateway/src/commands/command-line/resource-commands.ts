/**
 * The commands `users`, `keys`, `teams` and `channels`: a verb of the command line is a call of the
 * management API.
 */
import { rmSync } from "node:fs";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { type CommandInput, exitCodes } from "./command-row.ts";
import { findSecretTarget, keepSecret, stripSecret } from "./kept-secrets.ts";
import type { ManagedResource } from "./managed-resources.ts";
import { CommandError, knowsDryRun } from "./management-client.ts";
import { prepareCall, type ResourceCommand, type VerbRun } from "./resource-input.ts";
import { listFlagsOfVerb, type ResourceVerb } from "./resource-verbs.ts";
import { requireFitting } from "./schema-flags.ts";
import { formatTextTable } from "./text-table.ts";
import { visible } from "./visible-text.ts";

export async function runResourceCommand(
  { resource, verb }: ResourceVerb,
  { args, options }: Pick<CommandInput, "args" | "options">,
  command: ResourceCommand,
): Promise<number> {
  const run = {
    resource,
    verb,
    flags: listFlagsOfVerb(resource, verb),
    values: options,
    id: args[0] ?? "",
    command,
  };
  if (verb === "list") return await listRows(run);
  return options["dry-run"] === true ? await tryOnOne(run) : await actOnOne(run);
}

async function listRows({ resource, flags, values, command }: VerbRun): Promise<number> {
  const query = Object.fromEntries(
    flags.flatMap(({ member, name }) =>
      typeof values[name] === "string" ? [[member, values[name]]] : [],
    ),
  );
  const listing = query.keyword === undefined ? resource.endpoints.list : resource.endpoints.search;
  const endpoint = values.everyone === true && resource.everyone ? resource.everyone.list : listing;
  requireFitting(endpoint.query, query);
  const reply = await command.call(endpoint, { query });
  const rows = Array.isArray(reply.data) ? reply.data.filter(isJsonRecord) : [];
  const shown = rows.map((row) => stripSecret(row, resource, values));
  if (values.json === true) command.print(JSON.stringify(shown, null, 2));
  else {
    const cells = shown.map((row) => buildCells(row, resource));
    for (const line of formatTextTable(cells, resource.columns)) command.print(line);
    const { total } = reply;
    if (typeof total === "number" && total > rows.length)
      command.warn(`${rows.length} of ${total}; --size takes up to 100, --p 1 is the next page`);
  }
  return exitCodes.done;
}

async function tryOnOne(run: VerbRun): Promise<number> {
  const { command, values } = run;
  const { endpoint, ask } = await prepareCall(run);
  if (!(await knowsDryRun(command.call)))
    throw new CommandError("this gateway knows no dry run: nothing was sent");
  await command.call(endpoint, { ...ask, isDryRun: true });
  if (values.json === true) command.print(JSON.stringify({ dry_run: true }));
  else command.warn("The gateway has checked rights and input. Nothing is changed.");
  return exitCodes.done;
}

async function actOnOne(run: VerbRun): Promise<number> {
  const { resource, verb, values, command } = run;
  const { endpoint, ask } = await prepareCall(run);
  const target = findSecretTarget(run);
  const reply = await command.call(endpoint, ask).catch((error: unknown) => {
    if (target !== undefined) rmSync(target);
    throw error;
  });
  if (verb === "delete") {
    command.warn(`The ${resource.noun} ${visible(run.id)} is deleted.`);
    return exitCodes.done;
  }
  // The creation of a channel answers with one for each line of its key.
  const objects = (Array.isArray(reply.data) ? reply.data : [reply.data]).filter(isJsonRecord);
  if (target !== undefined) keepSecret(target, objects[0]?.[resource.shownSecret ?? ""]);
  for (const object of objects) {
    const shown = stripSecret(object, resource, values);
    if (values.json === true) command.print(JSON.stringify(shown, null, 2));
    else for (const line of formatMemberLines(shown, resource)) command.print(line);
  }
  return exitCodes.done;
}

const formatValueText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

function buildCells(
  row: Readonly<Record<string, unknown>>,
  { statuses }: ManagedResource,
): Record<string, string> {
  const cells = Object.entries(row).map(([member, value]) => {
    const status = member === "status" ? statuses.get(Number(value)) : undefined;
    return [member, status ?? formatValueText(value)] as const;
  });
  return Object.fromEntries(cells);
}

function formatMemberLines(
  object: Readonly<Record<string, unknown>>,
  resource: ManagedResource,
): string[] {
  const cells = buildCells(object, resource);
  const width = Math.max(...Object.keys(cells).map((member) => member.length));
  return Object.entries(cells).map(([member, text]) =>
    `${member.padEnd(width)}  ${visible(text, longestLine)}`.trimEnd(),
  );
}
const longestLine = 2_000;
