/** Values that Mistral, xAI, Groq, Cohere and NVIDIA refuse in chat completions. */

import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { certain, clamp, drop, penalties } from "./compatible-rows.ts";
import { removeReferences, writeSchemaInWords } from "./schema-fits.ts";
import { fitVendorEffort, isEffort } from "./thinking-effort.ts";
import { removed, type ValueRule } from "./value-rule.ts";
import type { Vendor } from "./vendors.ts";

const addPrefix = (body: JsonRecord): JsonRecord => {
  const messages = records(body.messages);
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.tool_calls !== undefined) return body;
  return { ...body, messages: [...messages.slice(0, -1), { ...last, prefix: true }] };
};

/** `vendorEffort` is a rule of efforts, of which each model of a vendor knows some. */
const vendorEffort = {
  refuses: (value, { model }) => isEffort(value) && fitVendorEffort(value, model) !== value,
  refused: "words that the model does not know",
  fit: {
    do: "convert",
    words: "the nearest that it knows; none where it has none",
    by: (value, { model }) =>
      isEffort(value) ? (fitVendorEffort(value, model) ?? removed) : removed,
  },
} satisfies Partial<ValueRule>;

/** "Unexpected role 'user' after role 'tool'". */
const isUserAfterResult = (
  { role }: JsonRecord,
  at: number,
  messages: readonly JsonRecord[],
): boolean => role === "user" && messages[at - 1]?.role === "tool";

const answerResults = (body: JsonRecord): JsonRecord => ({
  ...body,
  messages: records(body.messages).flatMap((message, at, all) =>
    isUserAfterResult(message, at, all)
      ? [{ role: "assistant", content: "Understood." }, message]
      : [message],
  ),
});

function writeFormatInWords({ response_format, ...body }: JsonRecord): JsonRecord {
  const content = writeSchemaInWords(record(record(response_format).json_schema).schema);
  return { ...body, messages: [{ role: "system", content }, ...records(body.messages)] };
}

/** A row for a vendor that takes no schema of the answer in such bodies. */
const writtenFormat = (
  id: string,
  vendor: Vendor,
  refused: string,
  takesNone: (body: JsonRecord) => boolean,
): ValueRule =>
  certain({
    id,
    at: [vendor],
    member: "response_format",
    refuses: (value, { body }) => record(value).type === "json_schema" && takesNone(body),
    refused,
    fit: { do: "convert_body", words: "the schema in words of the system", by: writeFormatInWords },
    source: "litellm",
  });

/** The one tool that is asked for, as the only one. */
function keepOneTool(body: JsonRecord): JsonRecord {
  const { name } = record(record(body.tool_choice).function);
  const tools = records(body.tools).filter((tool) => record(tool.function).name === name);
  return { ...body, tool_choice: "required", ...(tools.length > 0 && { tools }) };
}

const messages = "messages";

export const compatibleValueRules: readonly ValueRule[] = [
  // Mistral
  ...["messages[].tool_calls[].id", "messages[].tool_call_id"].map((member) =>
    certain({
      id: "MI1",
      at: ["mistral"],
      member,
      refused: "any but 9 letters and digits",
      fit: { do: "hash", max: 9, pattern: /^[a-zA-Z0-9]{9}$/, alphabet: "base62" },
      source: "nearai/ironclaw#1241",
    }),
  ),
  certain({
    id: "MI2",
    at: ["mistral"],
    member: messages,
    refused: "a last message of the model",
    fit: { do: "convert_body", words: "marked as a beginning", by: addPrefix },
    source: "refusals in public code",
  }),
  certain({
    id: "MI2",
    at: ["mistral"],
    member: messages,
    refuses: (value) => records(value).some(isUserAfterResult),
    refused: "a turn of the user right after the result of a tool",
    fit: { do: "convert_body", words: "a turn of the model between them", by: answerResults },
    source: "BerriAI/litellm#17761, onyx-dot-app/onyx#6458",
  }),
  certain({
    id: "MI3",
    at: ["mistral"],
    member: "messages[role=assistant]",
    refuses: (value) =>
      !hasWords(record(value).content) && records(record(value).tool_calls).length === 0,
    refused: "empty turns of the model",
    fit: { do: "drop" },
    source: "litellm",
  }),
  ...["user", "system", "assistant"].map((role) =>
    drop("MI4", ["mistral"], `messages[role=${role}].name`, "names of speakers", "litellm"),
  ),
  certain({
    id: "MI5",
    at: ["mistral"],
    member: "tools[].function.parameters",
    refuses: (value) =>
      isRecord(value) && /"\$(?:ref|id|schema|defs)"|"definitions"/.test(JSON.stringify(value)),
    refused: "references in schemas",
    fit: {
      do: "convert",
      words: "what they name, in place",
      by: (value) => removeReferences(record(value)),
    },
    source: "litellm",
  }),
  certain({
    id: "MI6",
    at: ["mistral", "groq", "xai"],
    member: "reasoning_effort",
    ...vendorEffort,
    source: "litellm; earendil-works/pi#1745",
  }),
  {
    id: "XA2",
    api: "response_api",
    at: ["xai"],
    member: "reasoning.effort",
    ...vendorEffort,
    certainty: "certain",
    source: "NousResearch/hermes-agent#23435",
  },
  clamp("MI8", ["mistral"], "temperature", 0, 1.5),
  certain({
    id: "MI8",
    at: ["mistral"],
    member: "seed",
    refused: "the name",
    fit: { do: "move", to: "random_seed" },
    source: "mnfst/modelparams.dev",
  }),
  // xAI
  ...["stop", ...penalties].map((member) =>
    drop(
      "XA1",
      ["xai"],
      member,
      "by Grok from 4 on",
      "miaoxworld/NativeTavern#83",
      /^grok-(?:[4-9]|code)/,
    ),
  ),
  {
    ...drop("OR16", ["xai"], "reasoning.summary", "summaries", "can1357/oh-my-pi#7454"),
    api: "response_api",
  },
  // Groq, Cohere, Fireworks, NVIDIA
  ...["messages[].reasoning_content", "messages[].reasoning"].map((member) =>
    drop("GR1", ["groq"], member, "thoughts of earlier turns", "janhq/jan#8136", /^(?!gpt-oss)/),
  ),
  writtenFormat(
    "GR3",
    "groq",
    "schemas in a stream or beside tools",
    ({ stream, tools }) => stream === true || records(tools).length > 0,
  ),
  writtenFormat(
    "FW2",
    "fireworks",
    "schemas beside tools",
    ({ tools }) => records(tools).length > 0,
  ),
  certain({
    id: "FW2",
    at: ["fireworks"],
    member: "tool_choice",
    refuses: (value) => value === "required",
    refused: "the word `required`",
    fit: { do: "set", value: "any" },
    source: "litellm",
  }),
  drop("FW3", ["fireworks"], "messages[].content[type=file]", "files", "litellm"),
  certain({
    id: "CO1",
    at: ["cohere"],
    member: "tool_choice",
    refuses: isRecord,
    refused: "one function by its name",
    fit: { do: "convert_body", words: "that function alone, required", by: keepOneTool },
    source: "mnfst/modelparams.dev",
  }),
  ...penalties.map((member) => clamp("CO2", ["cohere"], member, 0, 1)),
  clamp("CO2", ["cohere"], "top_p", 0.01, 0.99),
  drop("OC24", ["nvidia"], "stream_options", "always", "refusals in public code"),
];

const hasWords = (content: unknown): boolean =>
  Array.isArray(content) ? content.length > 0 : text(content) !== "";
