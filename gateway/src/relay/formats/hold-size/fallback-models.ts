/**
 * Models that a request names as alternatives to its `model`: `models` (OpenRouter's list) and
 * `fallbacks`, on the endpoints whose clients send them. The router reads them, and no provider
 * receives them. Pure.
 */
import { isRecord } from "../../wire/json-parts.ts";
import { type RelayRefused, refuseBadRequest } from "../../wire/relay-refusal.ts";
import type { ApiEndpoint } from "../api-format.ts";

/** `fallbackModelsMax` is the number that OpenRouter and other gateways take, with one to spare. */
export const fallbackModelsMax = 5;
const members = ["models", "fallbacks"] as const;
const endpoints = new Set<ApiEndpoint>(["chat_completions", "response_api", "claude_messages"]);

export interface FallbackModels {
  /** `names` are in the order in which they are tried; without `model`, each once. */
  names: readonly string[];
  /** The members that hold them. */
  members: readonly string[];
}

/**
 * Undefined for nearly every request. Throws `RelayRefused` for a list that is too long, holds
 * anything but names, or names a model that no channel serves.
 */
export function parseFallbackModels(
  json: unknown,
  endpoint: ApiEndpoint,
  model: string,
  isServed: (model: string) => boolean,
): FallbackModels | undefined {
  if (!isRecord(json) || !endpoints.has(endpoint)) return undefined;
  const given = members.filter((name) => json[name] != null);
  if (given.length === 0) return undefined;
  const names = new Set(given.flatMap((member) => parseNames(member, json[member])));
  names.delete(model);
  for (const name of names) {
    if (!isServed(name))
      throw refuseBadRequest("model_not_found", `The model ${name} does not exist`, "models");
  }
  return { names: [...names], members: given };
}

function parseNames(member: string, value: unknown): string[] {
  if (!Array.isArray(value) || value.length > fallbackModelsMax) throw refuseMalformed(member);
  return value.map((entry: unknown) => {
    const isOnlyModel = isRecord(entry) && Object.keys(entry).length === 1;
    const name = isOnlyModel ? entry.model : entry;
    if (typeof name !== "string" || name === "" || name.length > nameMax)
      throw refuseMalformed(member);
    return name;
  });
}

const nameMax = 200;

const refuseMalformed = (member: string): RelayRefused =>
  refuseBadRequest(
    "invalid_request_error",
    `${member} must be a list of at most ${fallbackModelsMax} names of models`,
    member,
  );
