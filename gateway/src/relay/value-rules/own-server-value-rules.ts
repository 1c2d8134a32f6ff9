/**
 * Values that servers of open models refuse or do not read, of which neither the type of the channel
 * nor its host tells the vendor: vLLM, SGLang, llama.cpp and what stands before them.
 */
import { isRecord, type JsonRecord, record, records } from "../wire/json-parts.ts";
import { certain } from "./compatible-rows.ts";
import { joinSystems, joinWords } from "./conversation-fits.ts";
import type { ValueRule } from "./value-rule.ts";

/** `wantsAlternation`: their templates raise an error where two turns of one role follow. */
const wantsAlternation = /^(?:gemma|mistral|ministral|magistral|mixtral|devstral)/;
/** `readsOneSystem`: their templates read one message of the system, at the start. */
const readsOneSystem = new RegExp(`${wantsAlternation.source}|^qwen(?:3\\.[5-9]|[4-9])`);

const listParts = (content: unknown): JsonRecord[] =>
  Array.isArray(content) ? records(content) : [{ type: "text", text: content }];

const joinContents = (first: unknown, second: unknown): unknown => {
  const parts = [first, second].flatMap(listParts).filter((part) => part.text !== "");
  return parts.every(({ type }) => type === "text") ? joinWords(parts) : parts;
};

const isJoined = (before: JsonRecord | undefined, { role }: JsonRecord): boolean =>
  before !== undefined &&
  before.role === role &&
  (role === "user" || (role === "assistant" && before.tool_calls === undefined));

const hasNeighbours = (messages: unknown): boolean =>
  records(messages).some((message, at, all) => isJoined(all[at - 1], message));

function joinNeighbours(body: JsonRecord): JsonRecord {
  const messages: JsonRecord[] = [];
  for (const message of records(body.messages)) {
    const before = messages.at(-1);
    if (before && isJoined(before, message))
      messages[messages.length - 1] = {
        ...before,
        ...message,
        content: joinContents(before.content, message.content),
      };
    else messages.push(message);
  }
  return { ...body, messages };
}

/** `addTemplateSwitch` writes both names: templates of GLM and Qwen call the switch `enable_thinking`, others
 * `thinking`. */
function addTemplateSwitch(body: JsonRecord): JsonRecord {
  const isOn =
    typeof body.enable_thinking === "boolean"
      ? body.enable_thinking
      : record(body.thinking).type !== "disabled";
  const kwargs = { enable_thinking: isOn, thinking: isOn, ...record(body.chat_template_kwargs) };
  return { ...body, chat_template_kwargs: kwargs };
}

export const ownServerValueRules: readonly ValueRule[] = [
  certain({
    id: "OV2",
    models: readsOneSystem,
    servers: "unknown",
    member: "messages",
    refused: "several messages of the system, or one further on",
    fit: { do: "convert_body", words: "one at the start", by: joinSystems },
    source: "vllm-project/vllm#41114, ggml-org/llama.cpp#20733",
  }),
  certain({
    id: "OV2",
    models: wantsAlternation,
    servers: "unknown",
    member: "messages",
    refuses: hasNeighbours,
    refused: "two turns of one role after each other",
    fit: { do: "convert_body", words: "one turn of both", by: joinNeighbours },
    source: "ml-explore/mlx-lm#1375, charmbracelet/crush#279",
  }),
  ...["enable_thinking", "thinking"].map((member) =>
    certain({
      id: "OV4",
      servers: "unknown",
      member,
      refuses: (value, { body }) =>
        (typeof value === "boolean" || isRecord(value)) &&
        record(body.chat_template_kwargs).enable_thinking === undefined,
      refused: "a switch that is not the template's, which nothing reads",
      fit: {
        do: "convert_body",
        words: "the switch of the template beside it",
        by: addTemplateSwitch,
      },
      source: "ggml-org/llama.cpp#13160",
    }),
  ),
];
