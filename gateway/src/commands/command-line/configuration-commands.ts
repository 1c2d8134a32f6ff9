/** The commands `export`, `plan` and `apply`. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  applyConfiguration,
  type ConfigurationRequest,
  exportConfiguration,
} from "@tollgate/contract/commands/configuration.ts";
import * as z from "zod/mini";
import { exitCodes, findText, type GivenOptions } from "./command-row.ts";
import { readConfiguration, readWrittenConfiguration } from "./configuration-file.ts";
import type { Consent } from "./consent.ts";
import { CommandError, type ManagementClient, type ManagementReply } from "./management-client.ts";

export interface CommandPrinter {
  print(text: string): void;
  /** Notes and errors, so that the output can be piped. */
  warn(text: string): void;
}

export interface ConfigurationCommand extends CommandPrinter {
  call: ManagementClient;
  consent(question: string, options: GivenOptions): Promise<Consent>;
  environment: Readonly<Record<string, string | undefined>>;
}

export async function exportCommand(
  options: GivenOptions,
  { call, print }: ConfigurationCommand,
): Promise<number> {
  const { data } = await call(exportConfiguration);
  print(readWrittenConfiguration(data, options.json === true ? "json" : "yaml").trimEnd());
  return exitCodes.done;
}

export async function applyCommand(
  options: GivenOptions,
  { call, consent, environment, print, warn }: ConfigurationCommand,
  isPlan: boolean,
): Promise<number> {
  const file = findText(options, "file") ?? "-";
  const passwordFile = findText(options, "password-file");
  const isPreview = isPlan || options["dry-run"] === true;
  const isPiped = file === "-";
  const label = isPiped ? "standard input" : file;
  const text = readText(isPiped ? 0 : file, label);
  const sources = { environment, readFile: (path: string) => readFileSync(path, "utf8") };
  const { document, missing } = readConfiguration(text, label, sources);
  for (const line of missing) warn(`${line} is not set: what is stored stays`);
  const request: ConfigurationRequest = {
    file: findText(options, "name") ?? (isPiped ? "stdin" : basename(file)),
    file_hash: createHash("sha256").update(text).digest("hex"),
    document,
    preview: isPreview,
    adopt: options.adopt === true,
    prune: options.prune === true,
    ...(passwordFile !== undefined && {
      current_password: readText(passwordFile, passwordFile).replace(/\r?\n$/, ""),
    }),
  };
  if (!isPreview && request.prune)
    await requireConsent(call, request, (question) => consent(question, options));
  const { changes, unchanged, problems } = await readOutcome(call, request);
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

/** `requireConsent` shows the things that would be deleted before it asks. */
async function requireConsent(
  call: ManagementClient,
  request: ConfigurationRequest,
  consent: (question: string) => Promise<Consent>,
): Promise<void> {
  const { changes, problems } = await readOutcome(call, { ...request, preview: true });
  const deleted = changes
    .filter(({ action }) => action === "delete")
    .map(({ kind, name }) => `${kind} ${name}`);
  if (deleted.length === 0 || problems.length > 0) return;
  const answer = await consent(`Delete ${deleted.join(", ")}?`);
  if (answer === "unasked")
    throw new CommandError(`this deletes ${deleted.join(", ")}: add --yes; nothing was written`);
  if (answer === "refused") throw new CommandError("nothing was written");
}

const readOutcome = async (call: ManagementClient, request: ConfigurationRequest) =>
  z.parse(applyConfiguration.data, (await sent(call, request)).data);

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
const leftNote: Readonly<Record<string, string>> = {
  left: " is no longer in the file (--prune deletes it)",
};

function readText(source: string | number, label: string): string {
  try {
    return readFileSync(source, "utf8");
  } catch (error) {
    throw new CommandError(`${label} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
