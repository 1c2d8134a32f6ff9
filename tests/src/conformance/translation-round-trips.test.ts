// Conversations translated there and back: what docs/translations.md does not name as lost is there
// again.

import { chatToGemini } from "@tollgate/gateway/relay/translations/chat-to-gemini.ts";
import { chatToMessages } from "@tollgate/gateway/relay/translations/chat-to-messages.ts";
import { geminiToChat } from "@tollgate/gateway/relay/translations/gemini-to-chat.ts";
import { messagesToChat } from "@tollgate/gateway/relay/translations/messages-to-chat.ts";
import { responsesToChat } from "@tollgate/gateway/relay/translations/responses-to-chat.ts";
import {
  type Translation,
  translateRequest,
} from "@tollgate/gateway/relay/translations/translation.ts";
import fc from "fast-check";
import { expect, test } from "vitest";

const translatedBody = (
  translation: Translation,
  json: RoundTripJson,
  model: string,
): RoundTripJson => translateRequest(translation, json, model).body;

type RoundTripJson = Record<string, unknown>;

const model = "m";
/** Blank words, and blanks at the end of the last turn, are what Anthropic refuses. */
const words = fc
  .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
  .filter((one) => one === one.trim());
const name = fc.stringMatching(/^[a-z_]{1,12}$/);
const base64 = fc.base64String({ minLength: 4, maxLength: 16 });
const value = fc.oneof(words, fc.integer(), fc.boolean(), fc.array(fc.integer(), { maxLength: 3 }));
const object = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), value, { minKeys: 1, maxKeys: 3 });
const schema = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((one) => [one, { type: "string", description: "Any" }])),
  required: names.slice(0, 1),
}));

const textPart = words.map((text): RoundTripJson => ({ type: "text", text }));
const picture = fc.oneof(
  base64.map((data) => `data:image/png;base64,${data}`),
  name.map((one) => `https://pictures.example/${one}.png`),
);
const picturePart = picture.map(
  (url): RoundTripJson => ({ type: "image_url", image_url: { url } }),
);
/** Text alone is written as text, and whatever is not is a list: the form that both ways end in. */
const userContent = fc.oneof(
  words,
  fc
    .tuple(textPart, fc.array(picturePart, { minLength: 1, maxLength: 2 }))
    .map(([text, pictures]) => [text, ...pictures]),
);

const toolTurn = fc.tuple(
  fc.option(words),
  fc.array(fc.tuple(name, object, object), { minLength: 1, maxLength: 3 }),
);
/** `exchange` is one exchange: a question, perhaps calls with their results, and an answer. */
const exchange = fc.record({ asked: userContent, tools: fc.option(toolTurn), answered: words });

interface ConversationExchange {
  asked: unknown;
  tools: [string | null, [string, object, object][]] | null;
  answered: string;
}

/**
 * The messages of chat completions; calls are numbered through, as Gemini's way back numbers them.
 */
function chatMessages(
  system: string | null,
  exchanges: readonly ConversationExchange[],
): RoundTripJson[] {
  let calls = 0;
  const turns = exchanges.flatMap(({ asked, tools, answered }): RoundTripJson[] => {
    const [words, made] = tools ?? [null, []];
    const numbered = made.map(([called, args, result]) => {
      calls += 1;
      return { id: `call_${calls}`, called, args, result };
    });
    const tool_calls = numbered.map(({ id, called, args }) => ({
      id,
      type: "function",
      function: { name: called, arguments: JSON.stringify(args) },
    }));
    const results = numbered.map(({ id, result }) => ({
      role: "tool",
      tool_call_id: id,
      content: JSON.stringify(result),
    }));
    const calling =
      words === null
        ? { role: "assistant", tool_calls }
        : { role: "assistant", content: words, tool_calls };
    return [
      { role: "user", content: asked },
      ...(numbered.length > 0 ? [calling, ...results] : []),
      { role: "assistant", content: answered },
    ];
  });
  return [...(system === null ? [] : [{ role: "system", content: system }]), ...turns];
}

const tool = fc.tuple(name, words, schema).map(([called, description, parameters]) => ({
  type: "function",
  function: { name: called, description, parameters },
}));
const settings = fc.record(
  {
    max_tokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.double({ min: 0, max: 1, noNaN: true }).map((one) => one + 0),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }).map((one) => one + 0),
    stop: fc.array(words, { minLength: 1, maxLength: 3 }),
    response_format: schema.map((one) => ({
      type: "json_schema",
      json_schema: { name: "answer", schema: { ...one, additionalProperties: false } },
    })),
  },
  { requiredKeys: ["max_tokens"] },
);
const choice = fc.oneof(
  fc.constantFrom("required", "none"),
  name.map((called) => ({ type: "function", function: { name: called } })),
);
const tooling = fc.option(
  fc.record(
    {
      tools: fc.uniqueArray(tool, {
        minLength: 1,
        maxLength: 2,
        selector: ({ function: { name: own } }) => own,
      }),
      tool_choice: choice,
    },
    { requiredKeys: ["tools"] },
  ),
);

const chat = fc
  .tuple(fc.option(words), fc.array(exchange, { minLength: 1, maxLength: 3 }), settings, tooling)
  .map(
    ([system, exchanges, asked, offered]): RoundTripJson => ({
      model,
      messages: chatMessages(system, exchanges as ConversationExchange[]),
      ...asked,
      ...offered,
    }),
  );

/** Members that say nothing are left out by some ways and written as null by others. */
const withoutNulls = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (_, member: unknown) => (member === null ? undefined : member));
/** Anthropic's way back asks for a strict answer, always. */
const strictly = ({ response_format, ...rest }: RoundTripJson): RoundTripJson =>
  response_format === undefined
    ? rest
    : {
        ...rest,
        response_format: {
          type: "json_schema",
          json_schema: {
            ...(response_format as { json_schema: RoundTripJson }).json_schema,
            strict: true,
          },
        },
      };

test("a chat comes back from Anthropic's Messages", () => {
  fc.assert(
    fc.property(chat, (asked) => {
      const back = translatedBody(
        messagesToChat,
        translatedBody(chatToMessages, asked, model),
        model,
      );
      expect(withoutNulls(back)).toEqual(strictly(asked));
    }),
  );
});

test("a chat comes back from Gemini's interface", () => {
  const more = fc.record(
    {
      seed: fc.integer(),
      presence_penalty: fc.integer({ min: -2, max: 2 }),
      frequency_penalty: fc.integer({ min: -2, max: 2 }),
      n: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(chat, more, (asked, also) => {
      const wanted = { ...asked, ...also };
      expect(
        withoutNulls(
          translatedBody(geminiToChat, translatedBody(chatToGemini, wanted, model), model),
        ),
      ).toEqual(wanted);
    }),
  );
});

test("thoughts and their signatures reach Anthropic with the turn that they belong to", () => {
  const thoughts = fc.array(fc.record({ thinking: words, signature: base64 }), {
    minLength: 1,
    maxLength: 2,
  });
  fc.assert(
    fc.property(chat, thoughts, (asked, blocks) => {
      const thinking_blocks = blocks.map((block) => ({ type: "thinking", ...block }));
      const messages = (asked.messages as RoundTripJson[]).map((message) =>
        message.role === "assistant" ? { ...message, thinking_blocks } : message,
      );
      const { messages: turns } = translatedBody(chatToMessages, { ...asked, messages }, model) as {
        messages: { role: string; content: RoundTripJson[] }[];
      };
      for (const { content } of turns.filter(({ role }) => role === "assistant")) {
        expect(content.slice(0, thinking_blocks.length)).toEqual(thinking_blocks);
      }
    }),
  );
});

test("signatures of Gemini's calls come back to it", () => {
  fc.assert(
    fc.property(chat, base64, (asked, thought_signature) => {
      const signed = (asked.messages as { tool_calls?: RoundTripJson[] }[]).map(
        ({ tool_calls, ...message }) => ({
          ...message,
          ...(tool_calls && {
            tool_calls: tool_calls.map((call) => ({
              ...call,
              extra_content: { google: { thought_signature } },
            })),
          }),
        }),
      );
      const { contents } = translatedBody(chatToGemini, { ...asked, messages: signed }, model) as {
        contents: { parts: RoundTripJson[] }[];
      };
      const calls = contents.flatMap(({ parts }) =>
        parts.filter((part) => part.functionCall !== undefined),
      );
      expect(calls.filter((part) => part.thoughtSignature !== thought_signature)).toEqual([]);
    }),
  );
});

/**
 * `responseItems` does the same conversation as a client of Responses sends it: one item for each
 * step.
 */
const responseItems = (messages: readonly RoundTripJson[]): RoundTripJson[] =>
  messages.flatMap(({ role, content, tool_calls, tool_call_id }): RoundTripJson[] => {
    if (role === "tool")
      return [{ type: "function_call_output", call_id: tool_call_id, output: content }];
    const calls = ((tool_calls ?? []) as { id: string; function: RoundTripJson }[]).map(
      ({ id, function: called }) => ({
        type: "function_call",
        call_id: id,
        ...called,
      }),
    );
    const parts =
      typeof content === "string"
        ? content
        : ((content ?? []) as RoundTripJson[]).map(responsePart);
    const words = content === undefined ? [] : [{ type: "message", role, content: parts }];
    return [...words, ...calls];
  });
const responsePart = ({ type, text, image_url }: RoundTripJson): RoundTripJson =>
  type === "text"
    ? { type: "input_text", text }
    : { type: "input_image", image_url: (image_url as RoundTripJson).url };

test("what a client of Responses sends item by item is the same conversation as a chat", () => {
  fc.assert(
    fc.property(chat, ({ messages }) => {
      const body = translatedBody(
        responsesToChat,
        { model, input: responseItems(messages as RoundTripJson[]) },
        model,
      );
      expect(withoutNulls(body.messages)).toEqual(messages);
    }),
  );
});
