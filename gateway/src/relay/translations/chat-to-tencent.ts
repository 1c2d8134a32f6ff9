/** Callers of chat completions, served by Tencent's Hunyuan. */

import { tencentChat } from "../formats/tencent-chat.ts";
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { mergeNeighbours, plainText, splitSystem } from "./plain-messages.ts";
import { byType, droppedFieldsOf, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

function body(json: JsonRecord, model: string, isStream?: boolean): JsonRecord {
  const { system, rest } = splitSystem(json.messages);
  const tools = records(json.tools).flatMap(toolFrom);
  const prompt = system === "" ? [] : [{ Role: "system", Content: system }];
  return present({
    Model: model,
    Messages: [...prompt, ...mergeNeighbours(rest.map(messageFrom), joinMessages)],
    Stream: isStream === true,
    Temperature: json.temperature,
    TopP: json.top_p,
    Seed: json.seed,
    Stop: typeof json.stop === "string" ? [json.stop] : json.stop,
    ...(tools.length > 0 && { Tools: tools, ...toolChoiceFrom(json.tool_choice, tools) }),
  });
}

function messageFrom({ role, content, tool_calls, tool_call_id }: JsonRecord): JsonRecord {
  const calls = records(tool_calls).map((call) => {
    const { name, arguments: args } = record(call.function);
    return { Id: call.id, Type: "function", Function: { Name: name, Arguments: args } };
  });
  const contents = records(content).flatMap(partFrom);
  const hasImages = contents.some(({ Type }) => Type === "image_url");
  return present({
    Role: role === "assistant" || role === "tool" ? role : "user",
    Content: hasImages ? undefined : plainText(content),
    Contents: hasImages ? contents : undefined,
    ToolCalls: calls.length > 0 ? calls : undefined,
    ToolCallId: tool_call_id,
  });
}

function partFrom({ type, text: partText, image_url }: JsonRecord): JsonRecord[] {
  if (type === "image_url") return [{ Type: "image_url", ImageUrl: { Url: text(record(image_url).url) } }];
  return type === "text" ? [{ Type: "text", Text: text(partText) }] : [];
}

/** Users and the model take turns there; results of tools may follow each other. */
function joinMessages(first: JsonRecord, second: JsonRecord): JsonRecord | undefined {
  if (first.Role !== second.Role || first.Role === "tool" || first.ToolCalls) return undefined;
  if (!first.Contents && !second.Contents) {
    return { ...second, Content: [first.Content, second.Content].filter((one) => one !== "").join("\n\n") };
  }
  const { Content: _, ...rest } = second;
  return { ...rest, Contents: [...partsOf(first), ...partsOf(second)] };
}

const partsOf = ({ Contents, Content }: JsonRecord): unknown[] =>
  Array.isArray(Contents) ? Contents : [{ Type: "text", Text: Content }];

function toolFrom({ type, function: definition }: JsonRecord): JsonRecord[] {
  if (type !== "function") return [];
  const { name, description, parameters } = record(definition);
  const schema = JSON.stringify(parameters ?? { type: "object", properties: {} });
  return [{ Type: "function", Function: present({ Name: name, Description: description, Parameters: schema }) }];
}

function toolChoiceFrom(choice: unknown, tools: readonly JsonRecord[]): JsonRecord {
  if (choice === "none" || choice === "auto") return { ToolChoice: choice };
  const { name } = record(record(choice).function);
  const chosenTool = tools.find((tool) => record(tool.Function).Name === name);
  return name !== undefined && chosenTool ? { ToolChoice: "custom", CustomTool: chosenTool } : {};
}

const supportedFields: SupportedFields = {
  ...wholeFields("model", "stream", "temperature", "top_p", "seed", "stop"),
  stream_options: { include_usage: true },
  store: onlyValues(false),
  logprobs: onlyValues(false),
  n: onlyValues(1),
  messages: {
    ...wholeFields("role", "tool_call_id"),
    content: byType({
      text: wholeFields("text"),
      refusal: wholeFields("refusal"),
      image_url: { image_url: { url: true, detail: onlyValues("auto") } },
    }),
    tool_calls: byType({ function: { ...wholeFields("id"), function: wholeFields("name", "arguments") } }),
  },
  tools: byType({ function: { function: wholeFields("name", "description", "parameters") } }),
  tool_choice: (value) => value !== "required",
};

export const chatToTencent: Translation = {
  target: tencentChat,
  translateRequest: body,
  createReplyTranslator: (call) => new NativeAsChat(call, tencentChat),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
