// Every rule with every client format: what a translation sends holds no value that the table knows
// to be refused.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { channelTypeIds } from "@tollgate/contract/catalogue/channel-types.ts";
import { refusedRequests } from "@tollgate/tests/support/refused-requests.ts";
import { describe, expect, test } from "vitest";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { translations } from "../routing/translation-registry.ts";
import { RequestReader } from "../translations/request-reader.ts";
import { type Translation, translateRequest } from "../translations/translation.ts";
import { isRecord, type JsonRecord, record } from "../wire/json-parts.ts";
import { RuleRun } from "./apply-value-rules.ts";
import { stripConditions } from "./member-path.ts";
import type { Fit, ValueRule } from "./value-rule.ts";
import { selectRules, valueRules } from "./value-rule-table.ts";
import { type RuleDestination, stripVendorName } from "./vendors.ts";

const clients = [
  "chat_completions",
  "response_api",
  "claude_messages",
  "gemini",
  "embeddings",
] as const;
const titles: Readonly<Partial<Record<ApiEndpoint, string>>> = {
  chat_completions: "Chat completions",
  response_api: "Responses",
  claude_messages: "Messages",
  gemini: "Gemini",
  bedrock_converse: "Converse",
  embeddings: "Embeddings",
};

interface TriedPlace extends RuleDestination {
  model: string;
  target: ApiEndpoint;
}

const at = (
  target: ApiEndpoint,
  channelType: number | undefined,
  ...models: string[]
): TriedPlace[] => models.map((model) => ({ target, channelType, model }));
const types = channelTypeIds;
/** A model of every family that a row names, where the row counts. */
const places: readonly TriedPlace[] = [
  ...at(
    "chat_completions",
    types.openAi,
    "gpt-5.4",
    "gpt-5",
    "gpt-4o",
    "o3",
    "gpt-6-astra",
    "some-model",
  ),
  ...at("response_api", types.openAi, "gpt-5.4", "gpt-5", "gpt-4o", "o3", "gpt-6-astra"),
  ...at("chat_completions", types.azure, "gpt-5-chat", "gpt-5.1", "gpt-6-astra", "gpt-6.1-terra"),
  ...at("response_api", types.azure, "gpt-6-astra", "gpt-6.1-terra"),
  ...at("chat_completions", types.compatible, "qwen3.5-27b", "ministral-3", "deepseek-v4"),
  ...at("embeddings", types.openAi, "text-embedding-ada-002", "text-embedding-3-small"),
  ...at("chat_completions", types.deepSeek, "deepseek-v4", "deepseek-chat"),
  ...at("chat_completions", types.moonshot, "kimi-k2.6", "kimi-k3", "moonshot-v1"),
  ...at("chat_completions", types.zhipu, "glm-5.3", "glm-4.6"),
  ...at("chat_completions", types.qianwen, "qwen3-max", "qwen3-32b"),
  ...at("chat_completions", types.fireworks, "llama-v3p3-70b-instruct"),
  ...at("chat_completions", types.miniMax, "minimax-m3", "minimax-m2"),
  ...at("chat_completions", types.mistral, "mistral-large-2512", "codestral"),
  ...at("chat_completions", types.xAi, "grok-4", "grok-3-mini", "grok-4.5"),
  ...at("response_api", types.xAi, "grok-4"),
  ...at(
    "chat_completions",
    types.groq,
    "qwen3-32b",
    "gpt-oss-120b",
    "llama-3.3-70b",
    "kimi-k2-instruct",
  ),
  ...at("chat_completions", types.cohere, "command-a"),
  ...at("chat_completions", types.geminiCompatible, "gemini-2.5-pro", "gemini-3-pro-preview"),
  ...at("chat_completions", types.nvidia, "llama-3.3-70b"),
  ...at(
    "claude_messages",
    types.anthropic,
    "claude-3-7-sonnet",
    "claude-sonnet-4-5",
    "claude-opus-4-6",
  ),
  ...at(
    "claude_messages",
    types.anthropic,
    "claude-opus-4-7",
    "claude-sonnet-5",
    "claude-opus-5",
    "claude-fable-5-1",
  ),
  ...at(
    "gemini",
    types.gemini,
    "gemini-2.0-flash",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
  ),
  ...at("gemini", types.gemini, "gemini-3-pro-preview", "gemini-3.6-flash", "gemini-4-pro"),
  ...at(
    "bedrock_converse",
    types.bedrock,
    "us.amazon.nova-pro-v1:0",
    "openai.gpt-oss-120b-1:0",
    "openai.gpt-5.6",
    "xai.grok-4",
  ),
  ...at("bedrock_converse", types.bedrock, "us.anthropic.claude-sonnet-4-5-v1:0", "meta.llama4"),
];

/**
 * A client of the API itself may break every rule; its bytes change only where decision 102 says
 * so.
 */
const asItIs: Omit<Translation, "target" | "createReplyTranslator"> = {
  translateRequest: (request) => request.readAll(),
};

const translationTo = (client: ApiEndpoint, target: ApiEndpoint): Translation | undefined => {
  const [any] = translations[client] ?? [];
  if (client !== target || !any)
    return translations[client]?.find((one) => one.target.endpoint === target);
  return { ...any, target: { ...any.target, endpoint: target }, ...asItIs, sourceFields: {} };
};

interface TriedCell {
  client: (typeof clients)[number];
  place: TriedPlace;
  translation: Translation;
}

const cells: readonly TriedCell[] = clients.flatMap((client) =>
  places.flatMap((place) => {
    const translation = translationTo(client, place.target);
    return translation ? [{ client, place, translation }] : [];
  }),
);

/** `isBroken` says whether a request that is sent as the client meant it would break the rule. */
const isBroken = (rule: ValueRule, body: JsonRecord, model: string): boolean =>
  JSON.stringify(new RuleRun().apply(rule, body, stripVendorName(model))) !== JSON.stringify(body);

const certainFor = ({ model, target, ...destination }: TriedPlace): readonly ValueRule[] =>
  selectRules(target, model, destination).filter(({ certainty }) => certainty === "certain");

/** `reached` goes by rule, the formats whose clients can ask for what it refuses. */
const reached = new Map<ValueRule, Set<string>>();

describe.each(clients)("what a client of %s asks for", (client) => {
  const own = cells.filter((cell) => cell.client === client);
  test.each(own)(
    "is sent to $place.model without what is refused there",
    ({ place, translation }) => {
      const rules = certainFor(place);
      for (const request of refusedRequests[client]) {
        const asked = { ...request, ...(client === "gemini" ? {} : { model: place.model }) };
        const before = structuredClone(asked);
        const raw = translation.translateRequest(new RequestReader(asked), place.model);
        for (const rule of rules)
          if (isBroken(rule, raw, place.model))
            reached.set(rule, (reached.get(rule) ?? new Set()).add(client));
        const { body, renamed } = translateRequest(
          translation,
          asked,
          place.model,
          undefined,
          place,
        );
        expect(
          rules
            .filter((rule) => isBroken(rule, body, place.model))
            .map(({ id, member }) => [id, member]),
        ).toEqual([]);
        expect(asked).toEqual(before);
        for (const [sent, ownName] of renamed ?? []) {
          expect(JSON.stringify(body)).toContain(JSON.stringify(sent));
          expect(JSON.stringify(body)).not.toContain(JSON.stringify(ownName));
        }
      }
    },
  );
});

test("every certain rule is broken by some client", () => {
  const never = valueRules.filter((rule) => rule.certainty === "certain" && !reached.has(rule));
  expect(never.map(({ id, api, member }) => [id, api, member])).toEqual([]);
});

const fitWords = (fit: Fit): string => {
  switch (fit.do) {
    case "hash":
      return fit.alphabet ? `a hash of ${fit.max} letters and digits` : "a hash";
    case "rename":
      return "a shorter name; the client reads its own";
    case "clamp":
      return "the nearest value";
    case "first":
      return `the first ${fit.count}`;
    case "set":
      return isRecord(fit.value) || Array.isArray(fit.value)
        ? "a placeholder"
        : `\`${JSON.stringify(fit.value)}\``;
    case "move":
      return `the name \`${fit.to}\``;
    case "drop":
      return "nothing";
    default:
      return fit.words;
  }
};

const escaped = (words: string): string => words.replaceAll("|", "\\|");
const whereOf = ({ at: vendors, notAt, servers, models }: ValueRule): string =>
  [
    vendors?.join(", ") ?? "",
    notAt ? `not ${notAt.join(", ")}` : "",
    servers ? "servers of no known vendor" : "",
    models ? `\`${models.source.replaceAll("](", "] (")}\`` : "",
  ]
    .filter((words) => words !== "")
    .join(": ") || "all";

/** Rows that differ in their member alone are one line. */
const row = (rule: ValueRule, same: readonly ValueRule[]): string => {
  const { id, api, refused, fit, certainty, source } = rule;
  return [
    id,
    titles[api] ?? api,
    whereOf(rule),
    [...new Set(same.map(({ member }) => `\`${stripConditions(member)}\``))].join(", "),
    refused,
    fitWords(fit),
    certainty,
    source,
  ]
    .map(escaped)
    .join(" | ");
};

const page = join(import.meta.dirname, "../../../../docs/translations.md");
const block = /(<!-- value rules: .*? -->\n)[\s\S]*?(<!-- end of value rules -->)/;

test("docs/translations.md lists the rules", async () => {
  const text = readFileSync(page, "utf8");
  const head = ["Rule", "API", "Where", "Member", "Refused", "Sent instead", "When", "Source"];
  const alike = Map.groupBy(valueRules, (rule) => {
    const { id, api, refused, fit, certainty, source } = rule;
    return JSON.stringify([id, api, whereOf(rule), refused, fitWords(fit), certainty, source]);
  });
  const rows = [...alike.values()].flatMap(([first, ...others]) =>
    first ? [row(first, [first, ...others])] : [],
  );
  const lines = [head.join(" | "), head.map(() => "---").join(" | "), ...rows];
  const table = lines.map((line) => `| ${line} |`).join("\n");
  expect(block.test(text)).toBe(true);
  await expect(
    text.replace(block, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`),
  ).toMatchFileSnapshot(page);
});

test("each row has a member of its own API, and ids that name one thing", () => {
  for (const { member, source, refused } of valueRules) {
    expect(member).toMatch(/^\w+(?:\[[\w=]*\])?(?:\.\w+(?:\[[\w=]*\])?)*$/);
    expect(record({ source }).source).not.toBe("");
    expect(refused).not.toBe("");
  }
});
