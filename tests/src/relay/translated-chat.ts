/**
 * What OpenAI's library sees of a chat that is translated, the same for every format that the
 * upstream speaks.
 */
import type OpenAI from "openai";
import { expect } from "vitest";
import { defaultCharge, question, type TestGateway } from "../harness/test-gateway.ts";

/** The twelve words of the simulator's answer. */
export const words = expect.stringMatching(/^(\S+ ){11}\S+$/);
export const messages = [{ role: "user" as const, content: question }];
/** The simulator calls the only tool that it is offered. */
export const useTool = [{ role: "user" as const, content: "Please use tool" }];
export const toolSchema = { type: "object" as const, properties: { city: { type: "string" } } };

export interface TranslatedChat {
  gateway: TestGateway;
  openai: OpenAI;
  model: string;
}

export async function expectAnswer({ gateway, openai, model }: TranslatedChat): Promise<void> {
  const answer = await openai.chat.completions.create({ model, messages });
  expect(answer).toMatchObject({
    model,
    object: "chat.completion",
    choices: [{ message: { role: "assistant", content: words }, finish_reason: "stop" }],
    usage: { prompt_tokens: 6, completion_tokens: 12, total_tokens: 18 },
  });
  expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, model_name: model });
}

/** A stream ends with its usage only if the client asks for it. */
export async function expectStream({ gateway, openai, model }: TranslatedChat): Promise<void> {
  for (const include_usage of [true, false]) {
    let text = "";
    const usages: unknown[] = [];
    const finishes: string[] = [];
    const asked = { model, messages, stream: true as const, stream_options: { include_usage } };
    for await (const chunk of await openai.chat.completions.create(asked)) {
      text += chunk.choices[0]?.delta.content ?? "";
      if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
      if (chunk.usage) usages.push(chunk.usage);
    }
    expect(text).toEqual(words);
    expect(finishes).toEqual(["stop"]);
    expect(usages).toHaveLength(include_usage ? 1 : 0);
    expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, outcome: "success" });
  }
}

/**
 * Calls a tool, streamed and not, and sends its result. `callExtras` are members that every call of
 * the tool has besides its own; `checkResultSent` runs after each result.
 */
export async function expectToolCalls(
  { openai, model }: TranslatedChat,
  {
    callExtras = {},
    checkResultSent,
  }: { callExtras?: object; checkResultSent?: () => Promise<void> } = {},
): Promise<void> {
  const tools = [
    { type: "function" as const, function: { name: "weather", parameters: toolSchema } },
  ];
  const asked = { model, messages: useTool, tools };
  const whole = await openai.chat.completions.create(asked);
  const streamed = await openai.chat.completions.stream(asked).finalChatCompletion();
  for (const { choices } of [whole, streamed]) {
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(choices[0]?.finish_reason).toBe("tool_calls");
    expect(call).toMatchObject({
      type: "function",
      function: { name: "weather", arguments: '{"city":"amber"}' },
      ...callExtras,
    });
    const message = { role: "assistant" as const, tool_calls: call ? [call] : [] };
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "sunny" };
    const after = await openai.chat.completions.create({
      ...asked,
      messages: [...useTool, message, result],
    });
    expect(after.choices[0]?.finish_reason).toBe("stop");
    await checkResultSent?.();
  }
}
