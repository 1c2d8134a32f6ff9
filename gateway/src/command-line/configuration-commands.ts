/** The commands `export`, `plan` and `apply`. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import {
  applyConfiguration,
  type ConfigurationRequest,
  exportConfiguration,
} from "@tollgate/contract/configuration.ts";
import * as z from "zod/mini";
import { readConfiguration, writtenConfiguration } from "./configuration-file.ts";
import { CommandError, type ManagementClient, type ManagementReply } from "./management-client.ts";

/** Nothing to do, or all is done; refused or failed; a plan that has changes. */
export const exitCodes = { done: 0, refused: 1, changes: 2 } as const;

export interface CommandPrinter {
  print(text: string): void;
  /** Notes and errors, so that the output can be piped. */
  warn(text: string): void;
}

export interface ConfigurationCommand extends CommandPrinter {
  call: ManagementClient;
  environment: Readonly<Record<string, string | undefined>>;
}

export const configurationUsage = `export [--json]                         prints the present configuration; secrets are references to variables
plan -f FILE [--adopt] [--prune]        shows what apply would change; exit code 2 with changes, 0 without
apply -f FILE [--adopt] [--prune]       brings the gateway to the state of the file
  -f FILE      YAML or JSON; - reads standard input
  --name NAME  marks what the file creates (default: the name of the file)
  --adopt      takes over what was made in the console or belongs to another file
  --prune      deletes what belongs to this file and is no longer in it
  --password-file FILE  the password of the key's maker, which a change of identity providers needs`;

export async function exportCommand(args: readonly string[], { call, print }: ConfigurationCommand): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: "boolean", default: false } } });
  const { data } = await call(exportConfiguration);
  print(writtenConfiguration(data, values.json ? "json" : "yaml").trimEnd());
  return exitCodes.done;
}

export async function applyCommand(
  args: readonly string[],
  { call, environment, print, warn }: ConfigurationCommand,
  isPlan: boolean,
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      file: { type: "string", short: "f" },
      name: { type: "string" },
      adopt: { type: "boolean", default: false },
      prune: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      "password-file": { type: "string" },
    },
  });
  if (values.file === undefined) throw new CommandError("name the file: -f FILE");
  const { "password-file": passwordFile, "dry-run": isDryRun } = values;
  const isPreview = isPlan || isDryRun;
  const isPiped = values.file === "-";
  const label = isPiped ? "standard input" : values.file;
  const text = readText(isPiped ? 0 : values.file, label);
  const sources = { environment, readFile: (path: string) => readFileSync(path, "utf8") };
  const { document, missing } = readConfiguration(text, label, sources);
  for (const line of missing) warn(`${line} is not set: what is stored stays`);
  const request: ConfigurationRequest = {
    file: values.name ?? (isPiped ? "stdin" : basename(values.file)),
    file_hash: createHash("sha256").update(text).digest("hex"),
    document,
    preview: isPreview,
    adopt: values.adopt,
    prune: values.prune,
    ...(passwordFile !== undefined && { current_password: readText(passwordFile, passwordFile).replace(/\r?\n$/, "") }),
  };
  const { data } = await sent(call, request);
  const { changes, unchanged, problems } = z.parse(applyConfiguration.data, data);
  for (const { kind, name, action, members } of changes)
    print(
      `${signs[action]} ${kind} ${name}${members.length > 0 ? `: ${members.join(", ")}` : ""}${leftNote[action] ?? ""}`,
    );
  for (const { kind, name, message } of problems) warn(`${kind} ${name}: ${message}`);
  const effective = changes.filter(({ action }) => action !== "left").length;
  print(`${effective} ${isPreview ? "to change" : "changed"}, ${unchanged} unchanged.`);
  if (problems.length > 0) {
    warn(`Nothing was written: ${problems.length} of the file cannot be applied.`);
    return exitCodes.refused;
  }
  return isPreview && effective > 0 ? exitCodes.changes : exitCodes.done;
}

async function sent(call: ManagementClient, body: ConfigurationRequest): Promise<ManagementReply> {
  try {
    return await call(applyConfiguration, { body });
  } catch (error) {
    if (!(error instanceof CommandError) || error.refusal !== "reauth_required") throw error;
    throw new CommandError(
      "a change of identity providers needs the password of the key's maker: --password-file FILE",
    );
  }
}

const signs = { create: "+", update: "~", adopt: "~", delete: "-", left: "?" } as const;
const leftNote: Readonly<Record<string, string>> = { left: " is no longer in the file (--prune deletes it)" };

function readText(source: string | number, label: string): string {
  try {
    return readFileSync(source, "utf8");
  } catch (error) {
    throw new CommandError(`${label} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
