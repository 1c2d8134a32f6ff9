/**
 * Custom tools of chat completions for APIs that know functions alone: each becomes a function with
 * one text, and its calls come back as calls of a custom tool. Pure.
 */
import { chatCompletions } from "../formats/chat-completions.ts";
import { buildEventJson } from "../wire/event-text.ts";
import {
  isRecord,
  type JsonRecord,
  parseObject,
  present,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import { buildFirstChoice, readCustomArguments, writeSse } from "./chat-parts.ts";
import { composeTranslations } from "./composed-translation.ts";
import type { FieldReader } from "./request-reader.ts";
import type { ReplyTranslator, Translation } from "./translation.ts";

/** The parameters of a function that stands for a custom tool. */
const inputParameters: JsonRecord = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/**
 * A function in place of a custom tool: what a provider with such tools would enforce is told in
 * words.
 */
export function translateFunctionForCustom(
  told: readonly string[],
  grammar: JsonRecord,
): JsonRecord {
  const { type, syntax, definition } = grammar;
  const form =
    type === "grammar"
      ? `The input is plain text of this ${text(syntax)} grammar:\n${text(definition)}`
      : "The input is plain text.";
  return {
    description: [...told, form].filter((words) => words !== "").join("\n\n"),
    parameters: inputParameters,
  };
}

/**
 * The input of a custom tool in the arguments of its function; what the model wrote instead, where
 * it is not in their form.
 */
export function unwrapInput(written: string): string {
  const { input, ...others } = parseObject(written);
  if (typeof input === "string") return input;
  const values = Object.values(input === undefined ? others : {});
  return values.length === 1 && typeof values[0] === "string" ? values[0] : written;
}

const isCustom = ({ type, custom }: JsonRecord): boolean => type === "custom" && isRecord(custom);

/** `hasCustom` says whether a request of chat completions has custom tools, or calls of them. */
const hasCustom = ({ tools, messages }: JsonRecord): boolean =>
  records(tools).some(isCustom) ||
  records(messages).some(({ tool_calls }) => records(tool_calls).some(isCustom));

function translateRequest(request: FieldReader): JsonRecord {
  const tools = request.objects("tools").map(translateTool);
  const messages = request.objects("messages").map(translateMessage);
  const choice = request.json.tool_choice;
  const { type, custom } = record(choice);
  const tool_choice =
    type === "custom" ? { type: "function", function: { name: record(custom).name } } : choice;
  return present({ ...request.readAll(), tools, messages, tool_choice });
}

function translateTool(tool: FieldReader): JsonRecord {
  if (!isCustom(tool.json)) return tool.readAll();
  tool.read("type");
  const { name, description, format } = tool.object("custom").read("name", "description", "format");
  const { type, grammar } = record(format);
  return {
    type: "function",
    function: {
      name,
      ...translateFunctionForCustom([text(description)], { type, ...record(grammar) }),
    },
  };
}

function translateMessage(message: FieldReader): JsonRecord {
  const { tool_calls, ...others } = message.readAll();
  if (!Array.isArray(tool_calls)) return message.json;
  return { ...others, tool_calls: records(tool_calls).map(translateCall) };
}

function translateCall(call: JsonRecord): JsonRecord {
  if (!isCustom(call)) return call;
  const { custom, ...others } = call;
  const { name, input } = record(custom);
  return {
    ...others,
    type: "function",
    function: { name, arguments: readCustomArguments(text(input)) },
  };
}

/** A call of which the client learns the input once it is whole. */
interface OpenCustomCall {
  index: unknown;
  written: string;
}

class FunctionsAsCustom implements ReplyTranslator {
  readonly #names: ReadonlySet<unknown>;
  readonly #open = new Map<unknown, OpenCustomCall>();

  constructor(names: ReadonlySet<unknown>) {
    this.#names = names;
  }

  translateReply(json: JsonRecord): JsonRecord {
    const choices = records(json.choices).map((choice) => {
      const { tool_calls, ...message } = record(choice.message);
      const calls = Array.isArray(tool_calls)
        ? { tool_calls: records(tool_calls).map((call) => this.#wholeCall(call)) }
        : {};
      return { ...choice, message: { ...message, ...calls } };
    });
    return { ...json, choices };
  }

  translateEvent(event: string): string {
    if (this.#open.size === 0 && !event.includes('"tool_calls"')) return event;
    const data = buildEventJson(event);
    const choice = buildFirstChoice(data);
    const { tool_calls, ...delta } = record(choice.delta);
    const ended = choice.finish_reason == null ? "" : this.#inputs(data, choice);
    if (!Array.isArray(tool_calls)) return ended + event;
    const calls = records(tool_calls).flatMap((call) => this.#piece(call));
    if (calls.length === 0 && Object.keys(delta).length === 0 && choice.finish_reason == null)
      return "";
    return (
      ended +
      readChunk(data, {
        ...choice,
        delta: { ...delta, ...(calls.length > 0 && { tool_calls: calls }) },
      })
    );
  }

  finish(): string {
    return "";
  }

  #wholeCall(call: JsonRecord): JsonRecord {
    const { function: called, ...others } = call;
    const { name, arguments: written } = record(called);
    if (!this.#names.has(name)) return call;
    return { ...others, type: "custom", custom: { name, input: unwrapInput(text(written)) } };
  }

  #piece(call: JsonRecord): JsonRecord[] {
    const { function: called, index, ...others } = call;
    const { name, arguments: written } = record(called);
    const open = this.#open.get(index);
    if (open && text(name) === "") {
      open.written += text(written);
      return [];
    }
    if (!this.#names.has(name)) return [call];
    this.#open.set(index, { index, written: text(written) });
    return [{ ...others, index, type: "custom", custom: { name, input: "" } }];
  }

  #inputs(data: JsonRecord, choice: JsonRecord): string {
    const tool_calls = [...this.#open.values()].map(({ index, written }) => ({
      index,
      custom: { input: unwrapInput(written) },
    }));
    this.#open.clear();
    return tool_calls.length === 0
      ? ""
      : readChunk(data, { ...choice, delta: { tool_calls }, finish_reason: null });
  }
}

const readChunk = ({ usage: _, ...data }: JsonRecord, choice: JsonRecord): string =>
  writeSse({ ...data, choices: [choice] });

const customAsFunctions: Translation = {
  target: chatCompletions.upstream,
  translateRequest,
  createReplyTranslator: (call) =>
    new FunctionsAsCustom(collectCustomNames(parseObject(call.body.toString("utf8")))),
};

const collectCustomNames = ({ tools }: JsonRecord): Set<unknown> =>
  new Set(records(tools).flatMap((tool) => (isCustom(tool) ? [record(tool.custom).name] : [])));

/**
 * A translation of chat completions to an API without custom tools; requests without any take no
 * further step.
 */
export function addCustomTools(translation: Translation): Translation {
  const composed = composeTranslations(customAsFunctions, translation);
  return {
    ...translation,
    translateRequest: (request, model, isStream) =>
      (hasCustom(request.json) ? composed : translation).translateRequest(request, model, isStream),
    createReplyTranslator: (call) =>
      (call.body.includes('"custom"') &&
      collectCustomNames(parseObject(call.body.toString("utf8"))).size > 0
        ? composed
        : translation
      ).createReplyTranslator(call),
  };
}
