/** Callers of chat completions, served by Tencent's Hunyuan. */
import { type Json, present, record, records, text } from "../json-parts.ts";
import { tencentChat } from "../shapes/tencent-chat.ts";
import { byType, type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { apartFromSystem, merged, plainText } from "./plain-turns.ts";
import { SaidAsChat } from "./said-as-chat.ts";
import type { Translation } from "./translation.ts";

function body(json: Json, model: string, isStream?: boolean): Json {
  const { system, rest } = apartFromSystem(json.messages);
  const tools = records(json.tools).flatMap(toolOf);
  const prompt = system === "" ? [] : [{ Role: "system", Content: system }];
  return present({
    Model: model,
    Messages: [...prompt, ...merged(rest.map(messageOf), joined)],
    Stream: isStream === true,
    Temperature: json.temperature,
    TopP: json.top_p,
    Seed: json.seed,
    Stop: typeof json.stop === "string" ? [json.stop] : json.stop,
    ...(tools.length > 0 && { Tools: tools, ...choiceOf(json.tool_choice, tools) }),
  });
}

function messageOf({ role, content, tool_calls, tool_call_id }: Json): Json {
  const calls = records(tool_calls).map((call) => {
    const { name, arguments: args } = record(call.function);
    return { Id: call.id, Type: "function", Function: { Name: name, Arguments: args } };
  });
  const contents = records(content).flatMap(partOf);
  const hasPictures = contents.some(({ Type }) => Type === "image_url");
  return present({
    Role: role === "assistant" || role === "tool" ? role : "user",
    Content: hasPictures ? undefined : plainText(content),
    Contents: hasPictures ? contents : undefined,
    ToolCalls: calls.length > 0 ? calls : undefined,
    ToolCallId: tool_call_id,
  });
}

function partOf({ type, text: said, image_url }: Json): Json[] {
  if (type === "image_url") return [{ Type: "image_url", ImageUrl: { Url: text(record(image_url).url) } }];
  return type === "text" ? [{ Type: "text", Text: text(said) }] : [];
}

/** Users and the model take turns there; results of tools may follow each other. */
function joined(first: Json, second: Json): Json | undefined {
  if (first.Role !== second.Role || first.Role === "tool" || first.ToolCalls) return undefined;
  if (!first.Contents && !second.Contents) {
    return { ...second, Content: [first.Content, second.Content].filter((one) => one !== "").join("\n\n") };
  }
  const { Content: _, ...rest } = second;
  return { ...rest, Contents: [...partsOf(first), ...partsOf(second)] };
}

const partsOf = ({ Contents, Content }: Json): unknown[] =>
  Array.isArray(Contents) ? Contents : [{ Type: "text", Text: Content }];

function toolOf({ type, function: described }: Json): Json[] {
  if (type !== "function") return [];
  const { name, description, parameters } = record(described);
  const schema = JSON.stringify(parameters ?? { type: "object", properties: {} });
  return [{ Type: "function", Function: present({ Name: name, Description: description, Parameters: schema }) }];
}

function choiceOf(choice: unknown, tools: readonly Json[]): Json {
  if (choice === "none" || choice === "auto") return { ToolChoice: choice };
  const { name } = record(record(choice).function);
  const chosen = tools.find((tool) => record(tool.Function).Name === name);
  return name !== undefined && chosen ? { ToolChoice: "custom", CustomTool: chosen } : {};
}

const kept: KeptMembers = {
  ...whole("model", "stream", "temperature", "top_p", "seed", "stop"),
  stream_options: { include_usage: true },
  store: only(false),
  logprobs: only(false),
  n: only(1),
  messages: {
    ...whole("role", "tool_call_id"),
    content: byType({
      text: whole("text"),
      refusal: whole("refusal"),
      image_url: { image_url: { url: true, detail: only("auto") } },
    }),
    tool_calls: byType({ function: { ...whole("id"), function: whole("name", "arguments") } }),
  },
  tools: byType({ function: { function: whole("name", "description", "parameters") } }),
  tool_choice: (value) => value !== "required",
};

export const chatToTencent: Translation = {
  to: tencentChat,
  body,
  answers: (call) => new SaidAsChat(call, tencentChat),
  lost: (json) => lostOf(json, kept),
};
