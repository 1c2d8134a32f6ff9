// How often the official client libraries send a call that the gateway refuses.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect } from "vitest";
import { question } from "../harness/test-gateway.ts";

/**
 * Both libraries, each of which may repeat a call three times, send it once and report the status.
 */
export async function expectOneTryOfEach(
  url: string,
  apiKey: string,
  body: { model: string; max_tokens: number },
  status: number,
  statusOfMessages = status,
): Promise<void> {
  let sent = 0;
  const counting: typeof fetch = (...request) => {
    sent += 1;
    return fetch(...request);
  };
  const openai = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 3, fetch: counting });
  const anthropic = new Anthropic({ apiKey, baseURL: url, maxRetries: 3, fetch: counting });
  const call = { ...body, messages: [{ role: "user" as const, content: question }] };
  await expect(openai.chat.completions.create(call)).rejects.toMatchObject({ status });
  await expect(anthropic.messages.create(call)).rejects.toMatchObject({ status: statusOfMessages });
  expect(sent).toBe(2);
}
