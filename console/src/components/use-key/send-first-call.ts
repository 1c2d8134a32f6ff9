import { basePath } from "../../site-path.ts";

const answerTokensMax = 60;
const shownMax = 400;
const withinMs = 60_000;

/** Sends one question with the key, as a program would, and answers the model's text. */
export async function sendFirstCall(key: string, model: string): Promise<string> {
  const response = await fetch(`${basePath}/v1/chat/completions`, {
    method: "POST",
    credentials: "omit",
    signal: AbortSignal.timeout(withinMs),
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model,
      max_tokens: answerTokensMax,
      messages: [{ role: "user", content: "Say hello in one short sentence." }],
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(parseMessage(text) || `status ${response.status}`);
  return parseAnswer(text).slice(0, shownMax);
}

type ChatReply = { error?: { message?: unknown }; choices?: { message?: { content?: unknown } }[] };

function parseReply(text: string): ChatReply {
  try {
    return (JSON.parse(text) ?? {}) as ChatReply;
  } catch {
    return {};
  }
}

const readText = (value: unknown): string => (typeof value === "string" ? value : "");
const parseMessage = (text: string): string => readText(parseReply(text).error?.message);
const parseAnswer = (text: string): string =>
  readText(parseReply(text).choices?.[0]?.message?.content);
