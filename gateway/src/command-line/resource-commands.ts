/** The commands `users`, `keys` and `channels`: a verb of the command line is a call of the management API. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import { isJsonRecord } from "@tollgate/contract/json-record.ts";
import { isMaskedKey, maskKey } from "@tollgate/contract/mask-key.ts";
import { type CommandPrinter, exitCodes } from "./configuration-commands.ts";
import { type ManagedResource, type ManagedResourceName, managedResources } from "./managed-resources.ts";
import { CommandError, knowsDryRun, type ManagementAsk, type ManagementClient } from "./management-client.ts";
import {
  flagsOfVerb,
  makesSecret,
  namesResource,
  optionsOf,
  resourceUsage,
  type Verb,
  verbsOf,
} from "./resource-verbs.ts";
import { flagValue, jsonMembers, requireFitting, type SchemaFlag } from "./schema-flags.ts";
import { textTable } from "./text-table.ts";
import { visible } from "./visible-text.ts";

export interface ResourceCommand extends CommandPrinter {
  call: ManagementClient;
}

type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

export async function resourceCommand(
  name: ManagedResourceName,
  args: readonly string[],
  command: ResourceCommand,
): Promise<number> {
  const resource: ManagedResource = managedResources[name];
  const ownVerbs = verbsOf(resource);
  const verb = ownVerbs.find((one) => one === args[0]);
  if (!verb) throw new CommandError(`${name} takes ${ownVerbs.join(", ")}\n\n${resourceUsage(name)}`);
  const flags = flagsOfVerb(resource, verb);
  const { values, positionals } = parseArgs({
    args: args.slice(1),
    allowPositionals: true,
    options: optionsOf(resource, verb, flags),
  });
  const [id = "", ...more] = positionals;
  const isNamed = namesResource.has(verb);
  if (more.length > 0 || (id !== "") !== isNamed)
    throw new CommandError(
      isNamed
        ? `name one ${resource.noun}: ${name} ${verb} ${verb === "put" ? "EXTERNAL_ID" : "ID"}`
        : `${name} ${verb} takes no name`,
    );
  const run = { resource, verb, flags, values, id, command };
  if (verb === "list") return await listRows(run);
  return values["dry-run"] === true ? await tryOnOne(run) : await actOnOne(run);
}

interface VerbRun {
  resource: ManagedResource;
  verb: Verb;
  flags: readonly SchemaFlag[];
  values: FlagValues;
  id: string;
  command: ResourceCommand;
}

async function listRows({ resource, flags, values, command }: VerbRun): Promise<number> {
  const query = Object.fromEntries(
    flags.flatMap(({ member, name }) => (typeof values[name] === "string" ? [[member, values[name]]] : [])),
  );
  const listing = query.keyword === undefined ? resource.endpoints.list : resource.endpoints.search;
  const endpoint = values.everyone === true && resource.everyone ? resource.everyone.list : listing;
  requireFitting(endpoint.query, query);
  const reply = await command.call(endpoint, { query });
  const rows = Array.isArray(reply.data) ? reply.data.filter(isJsonRecord) : [];
  const shown = rows.map((row) => withoutSecret(row, resource, values));
  if (values.json === true) command.print(JSON.stringify(shown, null, 2));
  else {
    const cells = shown.map((row) => cellsOf(row, resource));
    for (const line of textTable(cells, resource.columns)) command.print(line);
    const { total } = reply;
    if (typeof total === "number" && total > rows.length)
      command.warn(`${rows.length} of ${total}; --size takes up to 100, --p 1 is the next page`);
  }
  return exitCodes.done;
}

async function tryOnOne(run: VerbRun): Promise<number> {
  const { command, values } = run;
  const { endpoint, ask } = await callOf(run);
  if (!(await knowsDryRun(command.call))) throw new CommandError("this gateway knows no dry run: nothing was sent");
  await command.call(endpoint, { ...ask, isDryRun: true });
  if (values.json === true) command.print(JSON.stringify({ dry_run: true }));
  else command.warn("The gateway has checked rights and input. Nothing is changed.");
  return exitCodes.done;
}

async function actOnOne(run: VerbRun): Promise<number> {
  const { resource, verb, values, command } = run;
  const { endpoint, ask } = await callOf(run);
  const target = secretTarget(run);
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
    const shown = withoutSecret(object, resource, values);
    if (values.json === true) command.print(JSON.stringify(shown, null, 2));
    else for (const line of memberLines(shown, resource)) command.print(line);
  }
  return exitCodes.done;
}

interface PreparedCall {
  endpoint: Endpoint;
  ask: ManagementAsk;
}

async function callOf(run: VerbRun): Promise<PreparedCall> {
  const { resource, verb, values, id } = run;
  const { endpoints, everyone } = resource;
  switch (verb) {
    case "create":
      return fitting(endpoints.create, { body: membersIn(run) });
    case "put":
      return fitting(endpoints.put, { params: { external_id: id }, body: membersIn(run) });
    case "update":
      return fitting(endpoints.update, { body: { id, ...(await withReadMembers(run, membersIn(run))) } });
    case "enable":
    case "disable":
      if (values.everyone === true && everyone) return fitting(everyone.disable, { body: { id } });
      return fitting(endpoints.setStatus, { body: { id, status: verb === "enable" ? 1 : 2 } });
    case "rotate":
      if (!endpoints.rotate) throw new CommandError(`a ${resource.noun} has no key to rotate`);
      return fitting(endpoints.rotate, { body: { id, ...flagMembers(run) }, ...repetition(values) });
    case "delete":
      if (values.yes !== true && values["dry-run"] !== true)
        throw new CommandError(`${resource.noun} ${visible(id)} is deleted for good: add --yes`);
      return fitting(endpoints.remove, { params: { id } });
    default:
      return fitting(endpoints.show, { params: { id } });
  }
}

/** A job that repeats a rotation whose reply it lost must not replace the key that it made. */
const repetition = ({ "idempotency-key": key }: FlagValues): Pick<ManagementAsk, "idempotencyKey"> =>
  typeof key === "string" ? { idempotencyKey: key } : {};

function fitting(endpoint: Endpoint, ask: ManagementAsk): PreparedCall {
  requireFitting(endpoint.params, ask.params);
  requireFitting(endpoint.body, ask.body);
  return { endpoint, ask };
}

/** From --data, the files of secrets and the flags; of two that name a member, the flag counts. */
function membersIn(run: VerbRun): Record<string, unknown> {
  const { data } = run.values;
  const members = { ...(typeof data === "string" && jsonMembers(readInput(data), data)), ...flagMembers(run) };
  if (Object.keys(members).length === 0) throw new CommandError("name what to write, by flags or --data FILE");
  return members;
}

function flagMembers({ resource: { secrets }, flags, values }: VerbRun): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const flag of flags) {
    const isSecret = secrets.includes(flag.member);
    const given = values[isSecret ? `${flag.name}-file` : flag.name];
    if (typeof given !== "string") continue;
    members[flag.member] = flagValue(flag, isSecret ? readInput(given).replace(/\r?\n$/, "") : given);
  }
  return members;
}

/** What a member of money was, so that what is spent between this moment and the change is not given back. */
async function withReadMembers(
  { resource: { endpoints, readMembers }, id, command }: VerbRun,
  members: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const money = Object.entries(readMembers).filter(([member]) => members[member] !== undefined);
  if (money.length === 0) return members;
  const { data } = await command.call(endpoints.show, { params: { id } });
  const present = isJsonRecord(data) ? data : {};
  return { ...members, ...Object.fromEntries(money.map(([member, read]) => [read, present[member]])) };
}

function readInput(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Where the key goes that a creation or rotation shows. Decided before the call, because no later reply shows it to a management key. */
function secretTarget({ resource: { noun, shownSecret }, verb, values }: VerbRun): string | undefined {
  if (shownSecret === undefined) return undefined;
  const target = values[`${shownSecret}-to`];
  if (makesSecret.has(verb) && target === undefined && values[`show-${shownSecret}`] !== true)
    throw new CommandError(
      `say where the new ${noun} goes: --${shownSecret}-to FILE writes it to a new file, --show-${shownSecret} prints it`,
    );
  if (typeof target !== "string") return undefined;
  // Made before the call, so that a key is not lost in a folder that cannot be written.
  writeSecret(target, "", "wx");
  return target;
}

function keepSecret(target: string, secret: unknown): void {
  if (typeof secret === "string" && !isMaskedKey(secret)) {
    writeSecret(target, `${secret}\n`, "w");
    return;
  }
  rmSync(target);
  throw new CommandError(`done, but the reply shows no key: ${visible(target)} is not written`);
}

/** Its owner alone may read it. */
const secretFileMode = 0o600;

function writeSecret(path: string, text: string, flag: "w" | "wx"): void {
  try {
    writeFileSync(path, text, { flag, mode: secretFileMode });
  } catch (error) {
    throw new CommandError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

function withoutSecret(
  row: Readonly<Record<string, unknown>>,
  { shownSecret }: ManagedResource,
  values: FlagValues,
): Record<string, unknown> {
  const secret = shownSecret === undefined ? undefined : row[shownSecret];
  if (shownSecret === undefined || typeof secret !== "string" || values[`show-${shownSecret}`] === true)
    return { ...row };
  return { ...row, [shownSecret]: isMaskedKey(secret) ? secret : maskKey(secret) };
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

function cellsOf(row: Readonly<Record<string, unknown>>, { statuses }: ManagedResource): Record<string, string> {
  const cells = Object.entries(row).map(([member, value]) => {
    const status = member === "status" ? statuses.get(Number(value)) : undefined;
    return [member, status ?? valueText(value)] as const;
  });
  return Object.fromEntries(cells);
}

function memberLines(object: Readonly<Record<string, unknown>>, resource: ManagedResource): string[] {
  const cells = cellsOf(object, resource);
  const width = Math.max(...Object.keys(cells).map((member) => member.length));
  return Object.entries(cells).map(([member, text]) =>
    `${member.padEnd(width)}  ${visible(text, longestLine)}`.trimEnd(),
  );
}
const longestLine = 2_000;
