/**
 * Reading the input of a command on resources: from its words, and the files that it reads, to the
 * call that it makes.
 */
import { readFileSync } from "node:fs";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { GivenOptions } from "./command-row.ts";
import type { CommandPrinter } from "./configuration-commands.ts";
import type { Consent } from "./consent.ts";
import { CommandError, type ManagementAsk, type ManagementClient } from "./management-client.ts";
import type { ResourceVerb } from "./resource-verbs.ts";
import { buildJsonMembers, flagValue, requireFitting, type SchemaFlag } from "./schema-flags.ts";
import { visible } from "./visible-text.ts";

export interface ResourceCommand extends CommandPrinter {
  call: ManagementClient;
  consent(question: string, options: GivenOptions): Promise<Consent>;
}

export interface VerbRun extends ResourceVerb {
  flags: readonly SchemaFlag[];
  values: GivenOptions;
  id: string;
  command: ResourceCommand;
}

interface PreparedCall {
  endpoint: Endpoint;
  ask: ManagementAsk;
}

export async function prepareCall(run: VerbRun): Promise<PreparedCall> {
  const { resource, verb, values, id } = run;
  const { endpoints, everyone } = resource;
  switch (verb) {
    case "create":
      return fitting(endpoints.create, { body: buildMembers(run) });
    case "put":
      return fitting(endpoints.put, { params: { external_id: id }, body: buildMembers(run) });
    case "update":
      return fitting(endpoints.update, {
        body: { id, ...(await addReadMembers(run, buildMembers(run))) },
      });
    case "enable":
    case "disable":
      if (values.everyone === true && everyone) return fitting(everyone.disable, { body: { id } });
      return fitting(endpoints.setStatus, { body: { id, status: verb === "enable" ? 1 : 2 } });
    case "rotate":
      if (!endpoints.rotate) throw new CommandError(`a ${resource.noun} has no key to rotate`);
      return fitting(endpoints.rotate, {
        body: { id, ...flagMembers(run) },
        ...repetition(values),
      });
    case "delete":
      if (!endpoints.remove) throw new CommandError(`no program deletes a ${resource.noun}`);
      await requireConsent(run);
      return fitting(endpoints.remove, { params: { id } });
    default:
      return fitting(endpoints.show, { params: { id } });
  }
}

async function requireConsent({ resource: { noun }, id, values, command }: VerbRun): Promise<void> {
  if (values["dry-run"] === true) return;
  const name = `the ${noun} ${visible(id)}`;
  const consent = await command.consent(`Delete ${name} for good?`, values);
  if (consent === "unasked") throw new CommandError(`${name} would be deleted for good: add --yes`);
  if (consent === "refused") throw new CommandError(`${name} is not deleted`);
}

/** A job that repeats a rotation whose reply it lost must not replace the key that it made. */
const repetition = ({
  "idempotency-key": key,
}: GivenOptions): Pick<ManagementAsk, "idempotencyKey"> =>
  typeof key === "string" ? { idempotencyKey: key } : {};

function fitting(endpoint: Endpoint, ask: ManagementAsk): PreparedCall {
  requireFitting(endpoint.params, ask.params);
  requireFitting(endpoint.body, ask.body);
  return { endpoint, ask };
}

/**
 * `buildMembers` takes them from --data, the files of secrets and the flags; of two that name a
 * member, the flag counts.
 */
function buildMembers(run: VerbRun): Record<string, unknown> {
  const { data } = run.values;
  const members = {
    ...(typeof data === "string" && buildJsonMembers(readInput(data), data)),
    ...flagMembers(run),
  };
  if (Object.keys(members).length === 0)
    throw new CommandError("name what to write, by flags or --data FILE");
  return members;
}

function flagMembers({ resource: { secrets }, flags, values }: VerbRun): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const flag of flags) {
    const isSecret = secrets.includes(flag.member);
    const given = values[isSecret ? `${flag.name}-file` : flag.name];
    if (typeof given !== "string") continue;
    members[flag.member] = flagValue(
      flag,
      isSecret ? readInput(given).replace(/\r?\n$/, "") : given,
    );
  }
  return members;
}

/**
 * `addReadMembers` adds the value that a member of money had, so that money that is spent between
 * this moment and the change is not given back.
 */
async function addReadMembers(
  { resource: { endpoints, readMembers }, id, command }: VerbRun,
  members: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const money = Object.entries(readMembers).filter(([member]) => members[member] !== undefined);
  if (money.length === 0) return members;
  const { data } = await command.call(endpoints.show, { params: { id } });
  const present = isJsonRecord(data) ? data : {};
  return {
    ...members,
    ...Object.fromEntries(money.map(([member, read]) => [read, present[member]])),
  };
}

function readInput(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
