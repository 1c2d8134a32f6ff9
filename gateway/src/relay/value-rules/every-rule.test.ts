// Every rule that is known of a provider, and who keeps it: a row of the table, a translation, other
// code with a test of its own, or the provider alone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { channelTypeIds as types } from "@tollgate/contract/catalogue/channel-types.ts";
import { findTest, type NamedTest } from "@tollgate/tests/assurance/specification-sentences.ts";
import { expect, test } from "vitest";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { translations } from "../routing/translation-registry.ts";
import { translateRequest } from "../translations/translation.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { valueRules } from "./value-rule-table.ts";

/** The numbers of the rules, by the letters of their provider or endpoint. */
const numbers: Readonly<Record<string, readonly number[]>> = {
  OC: [...range(1, 17), ...range(19, 26), 28, 29],
  OR: [...range(1, 12), ...range(15, 17)],
  AZ: range(1, 7),
  AN: [...range(1, 35), 37],
  AH: range(1, 4),
  GE: range(1, 24),
  BC: range(1, 18),
  DS: [...range(1, 4), 6],
  MS: range(1, 6),
  ZP: range(1, 7),
  QW: range(1, 4),
  MM: range(1, 5),
  MI: range(1, 8),
  XA: [1, 2, 4],
  GR: [1, 2, 3, 5],
  CO: [1, 2],
  OP: [1, 2, 4],
  FW: range(1, 3),
  TO: [1],
  OV: range(1, 5),
  EM: [...range(1, 5), ...range(7, 10)],
};
function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}
const ids = Object.entries(numbers).flatMap(([letters, all]) => all.map((one) => letters + one));

/** Rules that a row of another id keeps. */
const sameAs: Readonly<Record<string, string>> = {
  AZ1: "OC1",
  AN8: "AN9",
  BC5: "BC4",
  MS2: "DS1",
  MS3: "DS2",
  MS4: "DS2",
  ZP5: "DS2",
  GR2: "MI6",
  OV3: "N1",
  TO1: "N1",
};

/** Rules with a test of their own. */
const shown: Readonly<Record<string, NamedTest>> = {
  OC16: { file: "endpoint-urls", words: "%s has the newer interface alone" },
  OR5: { file: "rejected-reasoning", words: "keeps calls of Responses, without the ids" },
  OR7: { file: "reasoning-homes.api", words: "goes back to the channel and key that signed it" },
  OR11: { file: "stored-responses.api", words: "responses that follow another" },
  OR17: { file: "answers-as-they-come.api", words: "%s goes to the next channel" },
  AZ6: { file: "upstream-failure-kinds", words: "an error about context or content" },
  AZ7: { file: "upstream-failure-kinds", words: "a model is missing when a code says so" },
  AN23: { file: "rejected-reasoning", words: "keeps all else of Messages" },
  AN31: { file: "upstream-failure-kinds", words: "a body that is too large" },
  AN32: { file: "translation-registry", words: "reports an unknown field" },
  AN33: { file: "refused-betas", words: "a refusal that names flags" },
  AN35: { file: "messages.api", words: "forward the client's version headers" },
  AH1: { file: "vertex", words: "to Claude has the version in its body" },
  AH2: { file: "refused-betas", words: "one that names none takes all" },
  AH3: { file: "hosted-claude", words: "a mark for the cache loses its scope" },
  GE9: { file: "rejected-reasoning", words: "marks calls of Gemini as calls of another model" },
  BC10: { file: "fitted-contents", words: "has a name of its own for Converse" },
  XA4: { file: "error-body", words: "of %s is read" },
  GR5: { file: "upstream-failure-kinds", words: "%j is no fault of the request" },
  OP2: { file: "returned-thoughts", words: "reaches a client of Messages as a signature" },
  OP4: { file: "error-body", words: "of %s is read" },
  OV1: { file: "upstream-failure-kinds", words: "%j is no fault of the request" },
  OV5: { file: "refused-members", words: "leaves out the effort for a model" },
  EM1: { file: "choose-channels", words: "names the cure for token ids" },
  EM3: { file: "embeddings-to-gemini", words: "clients that ask for it receive" },
};

const byDecision = "a limit that its provider tells (decision 108)";
/** `left` says why nothing can be sent instead. */
const left: Readonly<Record<string, string>> = {
  OC3: byDecision,
  OR15: "not confirmed: pictures in results are sent as parts",
  AZ5: "the operator states the version of the API",
  AH4: byDecision,
  GE6: "tools are never changed after a refusal (decision 103)",
  GE23: "addresses are Google's to read; nothing is fetched for a client",
  ZP7: "Zhipu says nothing of a prompt that it cut",
  EM5: byDecision,
  EM7: byDecision,
  EM8: "documents are the client's choice; Cohere names the limit",
  EM9: "a recording is the client's; the refusal names the limit",
  EM10: "a text to be spoken is the client's; the refusal names the limit",
};

interface Kept {
  from: ApiEndpoint;
  to: ApiEndpoint;
  model: string;
  type?: number;
  asked: JsonRecord;
  /** The body that is sent holds these members. */
  sent?: JsonRecord;
  /** It holds none of these words. */
  without?: readonly string[];
}

const user = { role: "user", content: "go" };
const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content });
const turn = (...made: string[]) => ({ role: "assistant", tool_calls: made.map(call) });
const schema = {
  type: "object",
  properties: { a: { type: ["string", "null"], format: "uri", const: "x" } },
  additionalProperties: false,
};
const tool = { type: "function", function: { name: "f", parameters: schema, strict: true } };
const picture = { type: "image_url", image_url: { url: "data:image/jpeg;base64,iVBORw0KGgo=" } };
const asked = {
  messages: [user, turn("a", "b"), result("b", "B"), { role: "user", content: "on" }],
  tools: [tool, { type: "web_search" }],
};
const toResponses = { from: "chat_completions", to: "response_api", model: "gpt-5.4" } as const;
const toClaude = {
  from: "chat_completions",
  to: "claude_messages",
  model: "claude-sonnet-4-5",
} as const;
const toGemini = { from: "chat_completions", to: "gemini", model: "gemini-3-flash" } as const;
const toConverse = { from: "chat_completions", to: "bedrock_converse", model: "nova" } as const;
const fromMessages = { from: "claude_messages", to: "chat_completions" } as const;

/** Rules that the grammar of a translation keeps, each with a request that would break it. */
const kept: Readonly<Record<string, Kept>> = {
  OR2: { ...toResponses, asked, without: ['"id":'] },
  OR4: {
    from: "response_api",
    to: "chat_completions",
    model: "gpt-4o",
    asked: {
      input: [
        user,
        { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
        { type: "function_call_output", output: "so" },
      ],
    },
    sent: { messages: [{ role: "user" }, { role: "assistant" }, { tool_call_id: "a" }] },
  },
  OR6: {
    ...toResponses,
    asked: { ...asked, reasoning_effort: "high" },
    sent: { store: false, include: ["reasoning.encrypted_content"] },
  },
  OR10: {
    ...toResponses,
    asked: { ...asked, stop: ["x"], n: 2, seed: 1, logit_bias: { 1: 1 }, presence_penalty: 1 },
    without: ['"stop"', '"n"', '"seed"', '"logit_bias"', '"presence_penalty"'],
  },
  OR12: {
    from: "response_api",
    to: "chat_completions",
    model: "gpt-4o",
    asked: { input: "go", tools: [{ type: "web_search" }, { type: "function", name: "f" }] },
    sent: { tools: [{ type: "function" }] },
    without: ["web_search"],
  },
  AN2: { ...toClaude, asked: { messages: [user, turn("srvtoolu_!")] }, without: ["srvtoolu_!"] },
  AN6: {
    ...toClaude,
    asked,
    sent: {
      messages: [
        { role: "user" },
        { role: "assistant" },
        {
          content: [
            { type: "tool_result", tool_use_id: "a" },
            { type: "tool_result", tool_use_id: "b" },
            { type: "text", text: "on" },
          ],
        },
      ],
    },
  },
  AN10: {
    ...toClaude,
    asked: { messages: [user, { role: "system", content: "Be kind." }, user] },
    sent: { system: [{ text: "Be kind." }] },
    without: ['"role":"system"'],
  },
  AN29: {
    ...toClaude,
    asked: { messages: [{ role: "user", content: [picture] }] },
    sent: { messages: [{ content: [{ source: { media_type: "image/png" } }] }] },
  },
  AN30: {
    ...toClaude,
    asked: {
      messages: [
        {
          role: "user",
          content: [{ type: "file", file: { file_data: "data:text/csv;base64,YSxi" } }],
        },
      ],
    },
    sent: { messages: [{ content: [{ source: { type: "text", data: "a,b" } }] }] },
  },
  AN34: {
    ...toClaude,
    asked: { ...asked, context_management: {} },
    without: ["context_management"],
  },
  AN37: { ...toClaude, asked: { ...asked, service_tier: "priority" }, without: ["service_tier"] },
  GE2: { ...toGemini, asked, without: ['"parameters":', "$schema"] },
  GE3: { ...toGemini, asked, without: ['"parameters":'] },
  GE4: { ...toGemini, asked, without: ['"parameters":'] },
  GE8: {
    ...toGemini,
    asked,
    sent: {
      contents: [
        { role: "user" },
        { parts: [{ thoughtSignature: "skip_thought_signature_validator" }, {}] },
        { role: "user" },
      ],
    },
  },
  GE10: { ...toGemini, model: "gemini-2.5-flash", asked, without: ['"id":'] },
  GE11: { ...toGemini, asked: { ...asked, reasoning_effort: "high" }, without: ["thinkingBudget"] },
  GE18: { ...toGemini, asked, without: ["googleSearch", "web_search"] },
  GE19: { ...toGemini, asked: { ...asked, cachedContent: "c" }, without: ["cachedContent"] },
  GE20: {
    ...toGemini,
    asked: { messages: [user, turn("a"), result("a", [picture])] },
    sent: {
      contents: [{}, {}, { parts: [{ functionResponse: { name: "f" } }, { inlineData: {} }] }],
    },
  },
  BC6: {
    ...toConverse,
    asked: { messages: [user, turn("a"), result("a", "[1]")] },
    sent: { messages: [{}, {}, { content: [{ toolResult: { content: [{ text: "[1]" }] } }] }] },
  },
  BC15: { ...toConverse, asked, without: ["strict"] },
  BC16: {
    ...toConverse,
    asked: { ...asked, tool_choice: "required" },
    without: ["additionalModelRequestFields"],
  },
  BC17: { ...toConverse, asked, without: ["anthropic_beta"] },
  ZP3: {
    ...fromMessages,
    model: "glm-4.6",
    type: types.zhipu,
    asked: {
      max_tokens: 9,
      messages: [{ role: "user", content: ["a", "b"].map((text) => ({ type: "text", text })) }],
    },
    sent: { messages: [{ content: "a\n\nb" }] },
  },
  MI7: {
    ...fromMessages,
    model: "mistral-large-2512",
    type: types.mistral,
    asked: {
      max_tokens: 9,
      messages: [user],
      tools: [{ name: "f", input_schema: schema }],
      tool_choice: { type: "any" },
    },
    sent: { tool_choice: "required" },
  },
  OP1: {
    ...fromMessages,
    model: "anthropic/claude-sonnet-4.5",
    type: types.openRouter,
    asked: { max_tokens: 9, messages: [user], thinking: { type: "enabled", budget_tokens: 2_048 } },
    sent: { reasoning_effort: "medium" },
    without: ['"reasoning":'],
  },
  FW1: {
    ...fromMessages,
    model: "deepseek-v4",
    type: types.fireworks,
    asked: { max_tokens: 9, messages: [user], thinking: { type: "enabled", budget_tokens: 2_048 } },
    sent: { reasoning_effort: "high" },
    without: ['"thinking":'],
  },
  EM4: {
    from: "embeddings",
    to: "bedrock_embeddings",
    model: "cohere.embed-v4",
    asked: { input: "hi" },
    sent: { input_type: "search_document" },
  },
};

test.each(Object.entries(kept))("%s is kept by a translation", (_, one) => {
  const { from, to, model, type: channelType, asked: body, sent, without = [] } = one;
  const translation = translations[from]?.find(({ target }) => target.endpoint === to);
  if (!translation) throw new Error(`no way from ${from} to ${to}`);
  const request = from === "gemini" ? body : { model, ...body };
  const { body: written } = translateRequest(translation, request, model, false, { channelType });
  if (sent) expect(written).toMatchObject(sent);
  for (const words of without) expect(JSON.stringify(written)).not.toContain(words);
});

const rows = new Set(valueRules.map(({ id }) => id));

test("each rule is accounted for, once", () => {
  const accounts = [sameAs, shown, left, kept].flatMap((one) => Object.keys(one));
  expect(ids.filter((id) => !rows.has(id) && !accounts.includes(id))).toEqual([]);
  expect(accounts.filter((id) => !ids.includes(id) || rows.has(id))).toEqual([]);
  expect(new Set(accounts).size).toBe(accounts.length);
  expect([...rows].filter((id) => id !== "N1" && !ids.includes(id))).toEqual([]);
  expect(Object.values(sameAs).filter((id) => !rows.has(id))).toEqual([]);
});

test("the tests that rules name exist", () => {
  expect(
    Object.values(shown)
      .map(findTest)
      .filter((one) => typeof one === "string"),
  ).toEqual([]);
});

const page = join(import.meta.dirname, "../../../../docs/translations.md");
const block = /(<!-- every rule: .*? -->\n)[\s\S]*?(<!-- end of every rule -->)/;

/** Each line names the rules that are kept in one way. */
function writeLines(): string[] {
  const nameTest = (named: NamedTest): string => {
    const found = findTest(named);
    return typeof found === "string" ? found : `\`${named.file}.test.ts\``;
  };
  const account = ids.map((id): [string, string] => {
    if (rows.has(id)) return [id, "a row of the table"];
    const same = sameAs[id];
    if (same !== undefined) return [id, `the rows of ${same}`];
    if (kept[id]) return [id, `the translation (\`every-rule.test.ts\`)`];
    const own = shown[id];
    return [id, own ? nameTest(own) : `the provider: ${left[id] ?? ""}`];
  });
  const alike = Map.groupBy(account, ([, keeper]) => keeper);
  return [...alike].map(
    ([keeper, named]) => `| ${keeper} | ${named.map(([id]) => id).join(" ")} |`,
  );
}

test("docs/translations.md accounts for every rule", async () => {
  const text = readFileSync(page, "utf8");
  expect(block.test(text)).toBe(true);
  const table = ["| Kept by | Rules |", "| --- | --- |", ...writeLines()].join("\n");
  await expect(
    text.replace(block, (_, start: string, end: string) => `${start}\n${table}\n\n${end}`),
  ).toMatchFileSnapshot(page);
});
