// Generated requests: every operation of the contract and every endpoint of the relay, by every
// kind of user, valid or not.

import type { EndpointSchema as ContractSchema } from "@tollgate/contract/api/endpoint.ts";
import { catalogue, type NamedEndpoint } from "@tollgate/contract/catalogue/catalogue.ts";
import type { JsonSchemaNode } from "@tollgate/tests/api/invalid-values.ts";
import * as z from "zod/mini";
import {
  bodyFor,
  chance,
  type KnownValues,
  nonsense,
  oddText,
  pick,
  type RandomSource,
  valueFor,
} from "./fuzz-values.ts";

export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** The intended operation; undefined for the relay and for unknown paths. */
  operation: NamedEndpoint | undefined;
}

export interface FuzzTargets {
  /** Headers of every user who may call the management API. */
  actors: readonly Record<string, string>[];
  /** The ones that may lose their credentials. */
  userActors: readonly Record<string, string>[];
  /** Keys for the relay: valid, exhausted, disabled and invented. */
  keys: readonly string[];
  simulatorUrl: string;
  models: readonly string[];
}

const schemaOf = (schema: ContractSchema | undefined): JsonSchemaNode | undefined =>
  schema && (z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchemaNode);

const operations = catalogue.map((named) => ({
  named,
  query: schemaOf(named.endpoint.query),
  body: schemaOf(named.endpoint.body),
  /**
   * Hashing a password takes a core for 26 ms: these are rarer, or the run would do nothing else.
   */
  share: /login|register|resetPassword|createUser|deleteSelf|newAccessToken/i.test(named.name)
    ? 0.1
    : 1,
}));

/** These may end the session or the account of the user that calls them. */
const endsCredentials = /newAccessToken|deleteSelf|endOtherSessions/;

const ids = [
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7",
  "8",
  "9",
  "999999",
  "0",
  "-1",
  "1.5",
  "abc",
  "%00",
  "a b",
];
const contentTypes = [
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "",
  "a/b",
];

const knownFor = ({ simulatorUrl, models }: FuzzTargets): KnownValues => ({
  id: [1, 2, 3, 4, 5, 6, 7, 8],
  user_id: [1, 2, 3, 4, 5, "all"],
  username: ["root", "user", "admin", "other", "somebody"],
  name: ["a name", "another"],
  status: [1, 2, 3],
  type: [1, 14, 24, 3],
  // Only the simulator: the address policy refuses every other address.
  base_url: [simulatorUrl],
  key: ["sim-ok", "sim-fail-503", "k"],
  models: [models.join(","), models[0]],
  model_configs: ['{"fuzz-chat":{"ratio":1}}', "{}", ""],
  group: ["default", "vip"],
  quota: [0, 1, 5, 1_000_000],
  remain_quota: [0, 1, 5, 1_000_000],
  p: ["0", "1", "3"],
  size: ["0", "10", "100"],
  order: ["asc", "desc"],
  from_date: ["2026-11-20", "2026-11-21"],
  to_date: ["2026-11-21"],
  value: ["true", "false", "0", "1", "5", "text", "{}", '{"default":1}'],
  config: ["{}", '{"region":"x"}'],
  password: ["a password of their own", "short"],
  action: ["disable", "enable", "promote", "demote", "delete"],
  count: [1, 2],
});

/**
 * Settings that would end the run itself, because they lock all users out or call other machines.
 */
const sparedOptions =
  /Password|Register|Login|Server|Address|Url|WeChat|Lark|GitHub|Discord|LinuxDO|Telegram|Oidc|Turnstile|Smtp|Mail|Store/i;
const optionKeys = [
  "SystemName",
  "Notice",
  "Footer",
  "RetryTimes",
  "QuotaPerUnit",
  "GroupRatio",
  "Theme",
  "About",
  "no",
];

export function requestFor(random: RandomSource, world: FuzzTargets): FuzzRequest {
  const kind = random();
  const request =
    kind < 0.78
      ? apiRequest(random, world)
      : kind < 0.96
        ? relayRequest(random, world)
        : stray(random, world);
  const source = `10.${byte(random)}.${byte(random)}.${byte(random)}`;
  // No HTTP client can send these bytes unescaped.
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)),
  );
  return { ...request, headers: { "x-forwarded-for": source, ...headers } };
}

/**
 * The server ends the connection of a head that is too long before it reads the body: a reset
 * proves nothing then.
 */
const shortened = (text: string): string => text.slice(0, 500).toWellFormed();
const byte = (random: RandomSource): number => Math.floor(random() * 256);

function apiRequest(random: RandomSource, world: FuzzTargets): FuzzRequest {
  let operation = pick(random, operations);
  while (!chance(random, operation.share)) operation = pick(random, operations);
  const { named, query, body } = operation;
  const { method, path, variant } = named.endpoint;
  const known = knownFor(world);
  const filled = path.replace(/:\w+/g, () => encodeURI(pick(random, ids)).replaceAll("%25", "%"));
  const members = new URLSearchParams(variant ? { [variant]: "1" } : {});
  for (const [name, schema] of Object.entries(query?.properties ?? {}))
    if (chance(random, 0.35)) {
      const value = valueFor(random, name, schema, known);
      members.append(name, shortened(typeof value === "string" ? value : JSON.stringify(value)));
    }
  if (chance(random, 0.04)) members.append(shortened(oddText(random)), shortened(oddText(random)));
  const output = body && bodyText(random, named.name, bodyFor(random, body, known), world);
  const search = members.size > 0 ? `?${members}` : "";
  const actors = endsCredentials.test(named.name) ? world.userActors : world.actors;
  const headers = {
    ...pick(random, actors),
    ...oddHeaders(random),
    ...(output !== undefined && typeOf(random)),
  };
  return { method, path: filled + search, headers, body: output, operation: named };
}

function bodyText(
  random: RandomSource,
  operation: string,
  body: unknown,
  { simulatorUrl }: FuzzTargets,
): string {
  if (chance(random, 0.03))
    return pick(random, ["", "{", "[]", "null", "7", '"x"', "{}{}", "\ufeff{}", "[".repeat(4_000)]);
  if (chance(random, 0.02)) return JSON.stringify(nonsense(random));
  const members = body as Record<string, unknown>;
  if (
    operation === "updateOption" &&
    (sparedOptions.test(String(members.key)) || !chance(random, 0.3))
  )
    members.key = pick(random, optionKeys);
  // A channel without an address would call its provider over the internet.
  if (/^(create|update)Channel$/.test(operation)) {
    const { base_url } = members;
    const isLeft = operation === "updateChannel" && base_url === undefined;
    const isRefused =
      typeof base_url === "string"
        ? base_url.trim() !== "" && !URL.canParse(base_url)
        : base_url != null;
    if (!isLeft && !isRefused) members.base_url = simulatorUrl;
  }
  const text = JSON.stringify(members);
  // A duplicate member.
  return chance(random, 0.02) && text.length > 2 ? `${text.slice(0, -1)},${text.slice(1)}` : text;
}

const typeOf = (random: RandomSource) => ({
  "content-type": chance(random, 0.97) ? "application/json" : pick(random, contentTypes),
});

function oddHeaders(random: RandomSource): Record<string, string> {
  if (!chance(random, 0.1)) return {};
  return pick<Record<string, string>>(random, [
    { "idempotency-key": pick(random, ["a", "b", "x".repeat(200), "with blank"]) },
    { "x-forwarded-for": pick(random, ["1.2.3.4", "::1", "x", "1.2.3.4, 5.6.7.8"]) },
    { "accept-language": "zh-CN" },
    { origin: "https://elsewhere.example" },
    { range: "bytes=0-1" },
    { "if-none-match": "*" },
    { "accept-encoding": "gzip, br" },
    { authorization: pick(random, ["Bearer", "Basic eDp5", "x", "Bearer sk-"]) },
    { cookie: pick(random, ["a=b", "session=;", "=", "x=\\"]) },
  ]);
}

const entries: readonly (readonly [path: string, body: Record<string, unknown>])[] = [
  [
    "/v1/chat/completions",
    { messages: [{ role: "user", content: "one two three" }], max_tokens: 5, stream: false },
  ],
  ["/v1/completions", { prompt: "one two", max_tokens: 5 }],
  ["/v1/embeddings", { input: "one two" }],
  ["/v1/moderations", { input: "one two" }],
  ["/v1/rerank", { query: "one", documents: ["two", "three"] }],
  ["/v1/responses", { input: "one two three", max_output_tokens: 5 }],
  ["/v1/messages", { messages: [{ role: "user", content: "one two three" }], max_tokens: 5 }],
  ["/v1/messages/count_tokens", { messages: [{ role: "user", content: "one two three" }] }],
  ["/v1/images/generations", { prompt: "one two", n: 1 }],
  ["/v1/audio/speech", { input: "one two", voice: "alloy" }],
  [
    "/v1beta/models/fuzz-chat:generateContent",
    { contents: [{ role: "user", parts: [{ text: "one two" }] }] },
  ],
  [
    "/v1beta/models/fuzz-chat:countTokens",
    { contents: [{ role: "user", parts: [{ text: "one two" }] }] },
  ],
];
const reads = [
  "/v1/models",
  "/v1/models/fuzz-chat",
  "/v1/responses/resp_x",
  "/v1beta/models",
  "/dashboard/billing/usage",
];
const furtherMembers = [
  "stream",
  "n",
  "tools",
  "temperature",
  "stop",
  "user",
  "tool_choice",
  "response_format",
  "metadata",
];

function relayRequest(random: RandomSource, { keys, models }: FuzzTargets): FuzzRequest {
  const key = pick(random, keys);
  const carried: Record<string, string> = pick(random, [
    { authorization: `Bearer ${key}` },
    { "x-api-key": key },
    { "x-goog-api-key": key },
  ]);
  if (chance(random, 0.12)) {
    const method = pick(random, ["GET", "GET", "DELETE", "OPTIONS"]);
    return {
      method,
      path: pick(random, reads),
      headers: carried,
      body: undefined,
      operation: undefined,
    };
  }
  const [path, usual] = pick(random, entries);
  const body: Record<string, unknown> = { model: pick(random, models), ...structuredClone(usual) };
  for (let changes = Math.floor(random() * 4); changes > 0; changes -= 1) {
    const name = pick(random, [...Object.keys(body), ...furtherMembers]);
    if (chance(random, 0.15)) delete body[name];
    else
      body[name] = chance(random, 0.5)
        ? nonsense(random, 4)
        : pick(random, [true, false, 1, 2, [], {}, "text"]);
  }
  const text = chance(random, 0.03)
    ? pick(random, ["", "{", "[]", "null", "[".repeat(5_000)])
    : JSON.stringify(body);
  const headers = { ...carried, ...oddHeaders(random), ...typeOf(random) };
  return { method: "POST", path, headers, body: text, operation: undefined };
}

/** Unknown paths, and known ones with the wrong method. */
function stray(random: RandomSource, { userActors }: FuzzTargets): FuzzRequest {
  const path = pick(random, [
    ...operations.slice(0, 40).map(({ named }) => named.endpoint.path),
    "/api",
    "/api/",
    "/api/nothing",
    "/api/user/%2e%2e/option/",
    "/api//option/",
    "/v1/nothing",
    "/v1/files",
    "/nothing.js",
    "/",
    "/assets/%00",
    "/healthz",
    "/readyz",
    "/api/user/self?".padEnd(4_000, "x=1&"),
  ]);
  const method = pick(random, ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]);
  return {
    method,
    path,
    headers: { ...pick(random, userActors), ...oddHeaders(random) },
    body: undefined,
    operation: undefined,
  };
}
