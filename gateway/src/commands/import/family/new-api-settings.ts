/**
 * The settings of a channel that new-api keeps beside its columns: headers, members of requests, a
 * proxy, a system prompt. Pure.
 */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import { parseProxy } from "../../../egress/proxy-address.ts";
import { parseJsonObject } from "../sources/source-fields.ts";

interface NewApiColumns {
  param_override: string;
  header_override: string;
  setting: string;
  settings: string;
  open_ai_organization: string;
}

interface NewApiSettings {
  config: Record<string, unknown>;
  /** Empty without one. */
  systemPrompt: string;
  proxy: string | undefined;
}

export type Lose = (reason: ImportLossReason, field: string, value?: string) => void;

export function buildApiSettings(channel: NewApiColumns, lose: Lose): NewApiSettings {
  const setting = parseJsonObject(channel.setting) ?? {};
  const { proxy: address, system_prompt, ...others } = setting;
  const proxy = findProxy(address);
  const systemPrompt = typeof system_prompt === "string" ? system_prompt : "";
  // Names alone: a value may be a secret.
  loseMembers("setting", { ...others, ...(proxy === undefined && { proxy: address }) }, lose);
  loseMembers("settings", parseJsonObject(channel.settings) ?? {}, lose);
  return { config: requestChanges(channel, lose), systemPrompt, proxy };
}

function loseMembers(field: string, members: Readonly<Record<string, unknown>>, lose: Lose): void {
  const names = Object.entries(members).flatMap(([name, value]) =>
    value === undefined || value === "" || value === false || value === null ? [] : name,
  );
  if (names.length > 0) lose("setting_not_served", field, names.join(", "));
}

/** `findProxy` is the address where a proxy here may have its form. */
const findProxy = (address: unknown): string | undefined =>
  typeof address === "string" && parseProxy(address) ? address : undefined;

/** Requests are changed here by whole members of the body alone. */
function requestChanges(channel: NewApiColumns, lose: Lose): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  const parameters = parseJsonObject(channel.param_override) ?? {};
  if (parameters.operations !== undefined) lose("setting_not_served", "param_override");
  else if (Object.keys(parameters).length > 0) config.param_override = parameters;
  const headers = Object.entries(parseJsonObject(channel.header_override) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const carried = headers.filter(([, value]) => !value.includes("{client_header"));
  if (carried.length < headers.length) lose("setting_not_served", "header_override");
  if (channel.open_ai_organization !== "")
    carried.push(["OpenAI-Organization", channel.open_ai_organization]);
  if (carried.length > 0) {
    config.custom_headers = Object.fromEntries(
      carried.map(([name, value]) => [name, value.replaceAll("{api_key}", "{{key}}")]),
    );
  }
  return config;
}
