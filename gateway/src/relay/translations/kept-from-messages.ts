/** What of a body of Anthropic's Messages chat completions keep, and what it is called there. */
import { type Json, record } from "../json-parts.ts";
import { byType, type KeptMembers, only, whole } from "./kept.ts";
import { isThinker, takesEffort } from "./wire-parts.ts";

const text = whole("text");
const source = byType({ base64: whole("media_type", "data"), url: whole("url") });
const image: KeptMembers = { source };
const documents = byType({ base64: whole("media_type", "data"), url: whole("url"), text: whole("media_type", "data") });

export function keptByChat(json: Json, model: string, keepsThoughts: boolean): KeptMembers {
  const thinks = isThinker(model);
  const isOff = record(json.thinking).type === "disabled";
  return {
    ...whole("model", "max_tokens", "stream", "stop_sequences"),
    system: byType({ text }),
    messages: {
      role: true,
      content: byType({
        text,
        image,
        document: { source: documents, title: true },
        tool_use: whole("id", "name", "input"),
        thinking: (block) => (keepsThoughts && record(block).signature ? true : "thinking"),
        redacted_thinking: keepsThoughts,
        tool_result: { tool_use_id: true, content: byType({ text, image }), is_error: only(false) },
      }),
    },
    temperature: !thinks,
    top_p: !thinks,
    tools: (tool) => {
      const { input_schema, type } = record(tool);
      if (input_schema === undefined) return typeof type === "string" ? type : false;
      return whole("type", "name", "description", "input_schema");
    },
    tool_choice: whole("type", "name", "disable_parallel_tool_use"),
    thinking: isOff || (takesEffort(model) && whole("type", "budget_tokens")),
    output_config: { format: byType({ json_schema: whole("schema") }) },
    output_format: byType({ json_schema: whole("schema") }),
    metadata: whole("user_id"),
  };
}

/** Where a member of the chat comes from; what is ours alone comes from nowhere. */
export const writtenInMessages: Readonly<Record<string, string | null>> = {
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
