// The official library of Anthropic.
import Anthropic from "@anthropic-ai/sdk";
import {
  citySchema,
  imageBase64,
  joinText,
  type LibraryClient,
  type LibraryReply,
  type LibraryRequest,
  prompt,
  toolDefinitions,
  toolResultText,
} from "../conversation-scenario.ts";

export const anthropicMessages: LibraryClient = {
  library: "@anthropic-ai/sdk",
  entry: "Messages",
  cannot: () => undefined,
  connect({ url, key }) {
    const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
    return async (ask) => {
      const messages = messagesOf(ask);
      const asked = {
        model: ask.model,
        max_tokens: 4_096,
        system: "Be brief.",
        messages,
        ...(ask.uses === "tools" || ask.uses === "thinking"
          ? {
              tools: toolDefinitions.map(({ name, description, schema }) => ({
                name,
                description,
                input_schema: schema,
              })),
            }
          : {}),
        ...(ask.uses === "structure"
          ? { output_config: { format: { type: "json_schema" as const, schema: citySchema } } }
          : {}),
        ...(ask.uses === "thinking"
          ? { thinking: { type: "enabled" as const, budget_tokens: 2_048 } }
          : {}),
      };
      const answer = ask.isStream
        ? await client.messages.stream(asked).finalMessage()
        : await client.messages.create(asked);
      return saidIn(answer, messages);
    };
  },
};

function messagesOf({ uses, after }: LibraryRequest): Anthropic.MessageParam[] {
  if (after) {
    const content = after.calls.map(({ id, name }) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: toolResultText(name),
    }));
    return [...(after.turn as Anthropic.MessageParam[]), { role: "user", content }];
  }
  if (uses !== "picture") return [{ role: "user", content: prompt }];
  const source = { type: "base64" as const, media_type: "image/png" as const, data: imageBase64 };
  return [
    {
      role: "user",
      content: [
        { type: "text", text: prompt },
        { type: "image", source },
      ],
    },
  ];
}

function saidIn(
  { content, stop_reason, usage }: Anthropic.Message,
  messages: Anthropic.MessageParam[],
): LibraryReply {
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    text: joinText(content.map((block) => (block.type === "text" ? block.text : ""))),
    thought: joinText(content.map((block) => (block.type === "thinking" ? block.thinking : ""))),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    ),
    tokens: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      output: usage.output_tokens,
      cached,
    },
    finish: stop_reason ?? "",
    turn: [...messages, { role: "assistant", content }],
  };
}
