/**
 * Reads and writes configuration files: YAML, of which JSON is a part. Errors name line and column.
 */

import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { headerMask } from "@tollgate/contract/catalogue/channel-overrides.ts";
import { type Configuration, configuration } from "@tollgate/contract/commands/configuration.ts";
import { isNode, LineCounter, parseDocument, stringify } from "yaml";
import * as z from "zod/mini";
import { secretMembers } from "../../catalogue/channels/channel-key.ts";
import { issueMessage } from "../../http/validation-errors.ts";
import { CommandError } from "./management-client.ts";

/** `SecretSources` are where references lead. */
export interface SecretSources {
  environment: Readonly<Record<string, string | undefined>>;
  /** Throws where the file cannot be read. */
  readFile(path: string): string;
}

export interface ReadConfiguration {
  document: Configuration;
  /** References to variables that are not set: what is stored stays. */
  missing: string[];
}

/** An alias that stands for others that stand for others would grow without end. */
const aliasesMax = 100;
const variablePattern = /^env:([A-Za-z_]\w{0,199})$/;

/** `name`: the file, for messages. */
export function readConfiguration(
  text: string,
  name: string,
  sources: SecretSources,
): ReadConfiguration {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, uniqueKeys: true, stringKeys: true });
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const [broken] = parsed.errors;
  if (broken) throw new CommandError(`${placeOf(broken.pos[0])}: ${broken.message.split("\n")[0]}`);
  const document: unknown = parsed.toJS({ maxAliasCount: aliasesMax });
  const placeAt = (path: readonly PropertyKey[]): string => {
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node: unknown = parsed.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return placeOf(node.range[0]);
    }
    return name;
  };
  const checked = z.safeParse(configuration, document, { error: issueMessage });
  if (!checked.success) {
    const messages = checked.error.issues
      .slice(0, 20)
      .map((issue) => `${placeAt(issue.path)}: ${issueText(issue)}`);
    throw new CommandError(messages.join("\n"));
  }
  return addSecrets(checked.data, placeAt, sources);
}

const issueText = (issue: z.core.$ZodIssue): string => {
  const at = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys")
    return `${at === "" ? "the file" : at} has no member ${issue.keys.join(", ")}`;
  return issue.message.startsWith(at) || at === "" ? issue.message : `${at}: ${issue.message}`;
};

function addSecrets(
  document: Configuration,
  placeAt: (path: readonly PropertyKey[]) => string,
  sources: SecretSources,
): ReadConfiguration {
  const missing: string[] = [];
  /** Undefined for a variable that is not set. */
  const resolve = (given: string, path: readonly PropertyKey[]): string | undefined => {
    const variable = variablePattern.exec(given)?.[1];
    if (variable !== undefined) {
      const value = sources.environment[variable];
      if (!value) missing.push(`${path.join(".")}: ${variable}`);
      return value || undefined;
    }
    if (!given.startsWith("file:"))
      throw new CommandError(
        `${placeAt(path)}: ${path.join(".")} is a secret: write env:NAME or file:PATH, and keep the value out of this file`,
      );
    try {
      return sources.readFile(given.slice("file:".length)).replace(/\r?\n$/, "");
    } catch (error) {
      throw new CommandError(
        `${placeAt(path)}: ${given} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      );
    }
  };

  const channels = document.channels?.map(({ key, config, ...rest }, index) => {
    const path = ["channels", index];
    const resolvedKey =
      key === undefined || key === "" ? undefined : resolve(key, [...path, "key"]);
    return {
      ...rest,
      ...(resolvedKey !== undefined && { key: resolvedKey }),
      ...(config && {
        config: buildConfigWithSecrets(config, (given, at) =>
          resolve(given, [...path, "config", ...at]),
        ),
      }),
    };
  });
  const mcpServers = document.mcpServers?.map(({ headers, ...rest }, index) => ({
    ...rest,
    headers: Object.fromEntries(
      listHeaderValues(headers, (given, name) =>
        resolve(given, ["mcpServers", index, "headers", name]),
      ),
    ),
  }));
  const identityProviders = document.identityProviders?.map(({ clientSecret, ...rest }, index) => {
    // Empty says that the client has none.
    const secret = clientSecret
      ? resolve(clientSecret, ["identityProviders", index, "clientSecret"])
      : clientSecret;
    return { ...rest, ...(secret !== undefined && { clientSecret: secret }) };
  });
  const resolved = {
    ...(channels && { channels }),
    ...(mcpServers && { mcpServers }),
    ...(identityProviders && { identityProviders }),
  };
  return { document: { ...document, ...resolved }, missing };
}

/** A mask keeps what the gateway has: it stands for a variable that is not set. */
const listHeaderValues = (
  headers: Readonly<Record<string, string>>,
  resolve: (given: string, name: string) => string | undefined,
): [string, string][] =>
  Object.entries(headers).map(([name, given]) => [
    name,
    given === headerMask ? given : (resolve(given, name) ?? headerMask),
  ]);

function buildConfigWithSecrets(
  config: Record<string, unknown>,
  resolve: (given: string, at: readonly string[]) => string | undefined,
): Record<string, unknown> {
  const resolved: Record<string, unknown> = { ...config };
  for (const member of secretMembers) {
    const given = config[member];
    if (typeof given !== "string" || given === "") continue;
    const value = resolve(given, [member]);
    if (value === undefined) delete resolved[member];
    else resolved[member] = value;
  }
  const { custom_headers: headers } = config;
  if (isJsonRecord(headers)) {
    const texts = Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    const values = listHeaderValues(Object.fromEntries(texts), (given, name) =>
      resolve(given, ["custom_headers", name]),
    );
    resolved.custom_headers = { ...headers, ...Object.fromEntries(values) };
  }
  return resolved;
}

export const readWrittenConfiguration = (document: unknown, format: "yaml" | "json"): string =>
  format === "json"
    ? `${JSON.stringify(document, null, 2)}\n`
    : stringify(document, { lineWidth: 120 });
