// OpenAI's older Completions format, with prompts in place of messages: field names and the order
// of events follow its API reference.

import { badRequest, openAiWire, positiveInteger, usageOf } from "./openai-wire.ts";
import { isRecord } from "./script.ts";
import { type SimulatedMessage, wholeText } from "./simulated-answer.ts";
import type { AnswerEnvelope, WireFormat } from "./wire-format.ts";

export const openAiCompletionsWire: WireFormat = {
  ...openAiWire,

  operationOf: (method, path) =>
    method === "POST" && path === "/v1/completions" ? "chat" : undefined,

  readRequest(body) {
    if (!isRecord(body)) throw badRequest("We could not parse the JSON body of your request.");
    if (typeof body.model !== "string" || body.model === "")
      throw badRequest("you must provide a model parameter");
    const messages = promptsIn(body.prompt);
    const options = isRecord(body.stream_options) ? body.stream_options : {};
    return {
      model: body.model,
      messages,
      tools: [],
      choices: messages.length * (positiveInteger(body.n, "n") ?? 1),
      maxTokens: positiveInteger(body.max_tokens, "max_tokens"),
      stream: body.stream === true,
      wantsUsage: options.include_usage === true,
    };
  },

  responseBody: (answer, envelope) => ({
    ...objectOf(envelope),
    choices: indices(answer.choices).map((index) =>
      choice(index, wholeText(answer.tokens), answer.finish),
    ),
    ...(envelope.usageHidden ? {} : { usage: usageOf(answer) }),
  }),

  *events(answer, envelope, { wantsUsage }) {
    const tellsUsage = wantsUsage && !envelope.usageHidden;
    const event = (members: object): string =>
      `data: ${JSON.stringify({ ...objectOf(envelope), ...members })}\n\n`;
    // When usage is requested, every event has the field, and it is null in all but the last.
    const piece = (index: number, text: string, finish: string | null = null): string =>
      event({ choices: [choice(index, text, finish)], ...(tellsUsage && { usage: null }) });
    const choices = indices(answer.choices);
    for (let at = 0; at < answer.tokens.length; at++)
      for (const index of choices)
        yield { kind: "content", text: piece(index, answer.tokens.at(at)) };
    for (const index of choices) yield { kind: "frame", text: piece(index, "", answer.finish) };
    if (tellsUsage) yield { kind: "frame", text: event({ choices: [], usage: usageOf(answer) }) };
    yield { kind: "done", text: "data: [DONE]\n\n" };
  },
};

const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const objectOf = ({ id, createdSeconds, model }: AnswerEnvelope) => ({
  id: `cmpl-${id}`,
  object: "text_completion",
  created: createdSeconds,
  model,
});

const choice = (index: number, text: string, finish: string | null) => ({
  text,
  index,
  logprobs: null,
  finish_reason: finish,
});

/** `promptsIn` gives one text or several. */
function promptsIn(prompt: unknown): SimulatedMessage[] {
  const prompts: unknown[] = Array.isArray(prompt) ? prompt : [prompt];
  const texts = prompts.filter((text) => typeof text === "string");
  if (texts.length === 0 || texts.length < prompts.length)
    throw badRequest("Missing required parameter: 'prompt'.", "missing_required_parameter");
  return texts.map((text) => ({ role: "user", text, images: 0 }));
}
