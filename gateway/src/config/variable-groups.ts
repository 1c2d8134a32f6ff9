/**
 * Every variable of the environment, by the heading under which `docs/configuration.md` shows it.
 */
import * as z from "zod/mini";
import {
  firstStartVariables,
  importVariables,
  proxyVariables,
  remoteCommandVariables,
  storageVariables,
} from "./installation-variables.ts";
import {
  apiKeyVariables,
  callBodyVariables,
  operationVariables,
  privateHostVariables,
  signInVariables,
} from "./service-variables.ts";
import { logVariables, spanVariables } from "./telemetry-variables.ts";
import type { VariableRow, VariableRows } from "./variable-row.ts";

export const variableGroups: readonly (readonly [title: string, rows: VariableRows])[] = [
  ["Listening and storage", storageVariables],
  ["Master key and first start", firstStartVariables],
  ["Moving in", importVariables],
  ["Commands for a running gateway", remoteCommandVariables],
  ["Behind a reverse proxy", proxyVariables],
  ["Private hosts that may be called", privateHostVariables],
  ["API keys", apiKeyVariables],
  ["Mail and sign-in", signInVariables],
  ["Log and metrics", logVariables],
  ["Spans of OpenTelemetry", spanVariables],
  ["Contents of calls", callBodyVariables],
  ["Operation and limits", operationVariables],
];

const variableRows = {
  ...storageVariables,
  ...firstStartVariables,
  ...importVariables,
  ...remoteCommandVariables,
  ...proxyVariables,
  ...privateHostVariables,
  ...apiKeyVariables,
  ...signInVariables,
  ...logVariables,
  ...spanVariables,
  ...callBodyVariables,
  ...operationVariables,
};

type VariableSchemas = {
  [Name in keyof typeof variableRows]: (typeof variableRows)[Name]["schema"];
};

export const variables = Object.fromEntries(
  Object.entries(variableRows).map(([name, { schema }]) => [name, schema]),
) as VariableSchemas;

/** `LiveVariable` names a variable whose new value a reload takes at once. */
export type LiveVariable = {
  [Name in keyof typeof variableRows]: (typeof variableRows)[Name] extends { isLive: true }
    ? Name
    : never;
}[keyof typeof variableRows];

export const liveVariables = Object.entries<VariableRow>(variableRows).flatMap(
  ([name, { isLive }]) => (isLive ? [name as LiveVariable] : []),
);

/** `secretVariables` are those whose value a file may hold. */
export const secretVariables: readonly string[] = variableGroups.flatMap(([, rows]) =>
  Object.entries(rows).flatMap(([name, { isSecret }]) => (isSecret ? [name] : [])),
);

/** `readDefault` is what is used without the variable, as text; empty where there is nothing. */
export function readDefault({ schema, default: stated }: VariableRow): string {
  if (stated !== undefined) return stated;
  const { success, data } = z.safeParse(schema, undefined);
  return success && (typeof data === "string" || typeof data === "number") ? String(data) : "";
}

/** Names of the one-api family for the same variables. */
export const aliases: Readonly<Record<string, keyof typeof variables>> = {
  SQL_DSN: "DATABASE_URL",
  REDIS_CONN_STRING: "REDIS_URL",
};
