/** What of a body of Anthropic's Messages chat completions keep, and what it is called there. */
import { type JsonRecord, record } from "../wire/json-parts.ts";
import { acceptsReasoningEffort, isReasoningModel } from "./chat-parts.ts";
import { byType, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";

const text = wholeFields("text");
const source = byType({ base64: wholeFields("media_type", "data"), url: wholeFields("url") });
const image: SupportedFields = { source };
const documents = byType({
  base64: wholeFields("media_type", "data"),
  url: wholeFields("url"),
  text: wholeFields("media_type", "data"),
});

export function messagesFieldsSupportedByChat(
  json: JsonRecord,
  model: string,
  keepsReasoning: boolean,
): SupportedFields {
  const isReasoning = isReasoningModel(model);
  const isOff = record(json.thinking).type === "disabled";
  return {
    ...wholeFields("model", "max_tokens", "stream", "stop_sequences"),
    system: byType({ text }),
    messages: {
      role: true,
      content: byType({
        text,
        image,
        document: { source: documents, title: true },
        tool_use: wholeFields("id", "name", "input"),
        thinking: (block) => (keepsReasoning && record(block).signature ? true : "thinking"),
        redacted_thinking: keepsReasoning,
        tool_result: { tool_use_id: true, content: byType({ text, image }), is_error: onlyValues(false) },
      }),
    },
    temperature: !isReasoning,
    top_p: !isReasoning,
    tools: (tool) => {
      const { input_schema, type } = record(tool);
      if (input_schema === undefined) return typeof type === "string" ? type : false;
      return wholeFields("type", "name", "description", "input_schema");
    },
    tool_choice: wholeFields("type", "name", "disable_parallel_tool_use"),
    thinking: isOff || (acceptsReasoningEffort(model) && wholeFields("type", "budget_tokens")),
    output_config: { format: byType({ json_schema: wholeFields("schema") }) },
    output_format: byType({ json_schema: wholeFields("schema") }),
    metadata: wholeFields("user_id"),
  };
}

/** Where a member of the chat comes from; what is ours alone comes from nowhere. */
export const messagesSourceFields: Readonly<Record<string, string | null>> = {
  max_completion_tokens: "max_tokens",
  stop: "stop_sequences",
  stream_options: null,
  "messages.content.image_url": "messages.content.image",
  "messages.content.file": "messages.content.document",
  "messages.content.file.filename": "messages.content.title",
  "messages.tool_calls": "messages.content.tool_use",
  "messages.thinking_blocks": "messages.content.thinking",
  reasoning_effort: "thinking",
  response_format: "output_config.format",
  "response_format.json_schema.name": null,
  "response_format.json_schema.strict": null,
  parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
  user: "metadata.user_id",
};
