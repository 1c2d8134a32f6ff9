/** Requests of chat completions for Tencent's Hunyuan. */

import { tencentChat } from "../formats/tencent-chat.ts";
import { type JsonRecord, present, record, text } from "../wire/json-parts.ts";
import {
  readCallFields,
  readContent,
  readFunctionCalls,
  readFunctions,
  readImageUrl,
  readStop,
} from "./chat-request.ts";
import { NativeAsChat } from "./native-as-chat.ts";
import { mergeNeighbours, readSystemText } from "./plain-messages.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader, model: string, isStream?: boolean): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  const { system, messages } = readSystemText(request);
  const tools = readFunctions(request).map(buildTool);
  if (request.json.tool_choice !== "required") request.read("tool_choice");
  const prompt = system === "" ? [] : [{ Role: "system", Content: system }];
  const { temperature, top_p, seed } = request.read("temperature", "top_p", "seed");
  return present({
    Model: model,
    Messages: [...prompt, ...mergeNeighbours(messages.map(buildMessage), joinMessages)],
    Stream: isStream === true,
    Temperature: temperature,
    TopP: top_p,
    Seed: seed,
    Stop: readStop(request),
    ...(tools.length > 0 && { Tools: tools, ...buildToolChoice(request.json.tool_choice, tools) }),
  });
}

function buildMessage(message: FieldReader): JsonRecord {
  const { role, tool_call_id } = message.read("role", "tool_call_id");
  const calls = readFunctionCalls(message).map(({ id, name, argumentsText }) => {
    return { Id: id, Type: "function", Function: { Name: name, Arguments: argumentsText } };
  });
  const content = readContent(message);
  const contents = typeof content === "string" ? [] : content.flatMap(listPart);
  const hasImages = contents.some(({ Type }) => Type === "image_url");
  return present({
    Role: role === "assistant" || role === "tool" ? role : "user",
    Content: hasImages ? undefined : formatPlainText(content),
    Contents: hasImages ? contents : undefined,
    ToolCalls: calls.length > 0 ? calls : undefined,
    ToolCallId: tool_call_id,
  });
}

function listPart(part: FieldReader): JsonRecord[] {
  switch (part.get("type")) {
    case "image_url":
      return [{ Type: "image_url", ImageUrl: { Url: readImageUrl(part) } }];
    case "text":
      return [{ Type: "text", Text: text(part.get("text")) }];
    case "refusal":
      part.read("refusal");
      return [];
    default:
      part.drop();
      return [];
  }
}

const formatPlainText = (content: string | FieldReader[]): string =>
  typeof content === "string"
    ? content
    : content
        .map(({ json }) => text(json.text) || text(json.refusal))
        .filter((partText) => partText !== "")
        .join("\n");

/** Users and the model take turns; results of tools may follow each other. */
function joinMessages(first: JsonRecord, second: JsonRecord): JsonRecord | undefined {
  if (first.Role !== second.Role || first.Role === "tool" || first.ToolCalls) return undefined;
  if (!first.Contents && !second.Contents) {
    return {
      ...second,
      Content: [first.Content, second.Content].filter((one) => one !== "").join("\n\n"),
    };
  }
  const { Content: _, ...rest } = second;
  return { ...rest, Contents: [...listParts(first), ...listParts(second)] };
}

const listParts = ({ Contents, Content }: JsonRecord): unknown[] =>
  Array.isArray(Contents) ? Contents : [{ Type: "text", Text: Content }];

function buildTool(definition: FieldReader): JsonRecord {
  const { name, description, parameters } = definition.read("name", "description", "parameters");
  const schema = JSON.stringify(parameters ?? { type: "object", properties: {} });
  return {
    Type: "function",
    Function: present({ Name: name, Description: description, Parameters: schema }),
  };
}

function buildToolChoice(choice: unknown, tools: readonly JsonRecord[]): JsonRecord {
  if (choice === "none" || choice === "auto") return { ToolChoice: choice };
  const { name } = record(record(choice).function);
  const chosenTool = tools.find((tool) => record(tool.Function).Name === name);
  return name !== undefined && chosenTool ? { ToolChoice: "custom", CustomTool: chosenTool } : {};
}

export const chatToTencent: Translation = {
  target: tencentChat,
  translateRequest,
  createReplyTranslator: (call) => new NativeAsChat(call, tencentChat),
};
