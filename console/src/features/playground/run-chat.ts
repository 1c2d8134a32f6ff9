import { call } from "../../api-call.ts";
import { composePlaygroundKey } from "../../playground-key.ts";
import { basePath } from "../../site-path.ts";
import { type ChatAnswer, createStreamReader, noAnswer, readAnswer } from "./chat-answer.ts";

export type ChatRun = ChatAnswer & {
  /** `requestId` goes by which the call is found in the log. */
  requestId: string;
  /** Milliseconds until the first content was here, and until the end. */
  firstMs: number | undefined;
  totalMs: number;
};

/** Sends one call with the playground key. `onProgress` gets what has arrived so far. */
export async function runChat(
  body: Record<string, unknown>,
  signal: AbortSignal,
  onProgress: (run: ChatRun) => void,
): Promise<ChatRun> {
  const key = await composePlaygroundKey(call);
  const startedAt = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAt);
  const response = await fetch(`${basePath}/v1/chat/completions`, {
    method: "POST",
    credentials: "omit",
    signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  let run: ChatRun = {
    ...noAnswer,
    requestId: response.headers.get("x-oneapi-request-id") ?? "",
    firstMs: undefined,
    totalMs: 0,
  };
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
  if (!isStream || response.body === null) {
    const answer = readAnswer(await response.text());
    return { ...run, ...answer, firstMs: sinceStart(), totalMs: sinceStart() };
  }
  const read = createStreamReader();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const answer = read(step.value);
    const hasContent = answer.text !== "" || answer.toolCalls.length > 0;
    run = {
      ...run,
      ...answer,
      firstMs: run.firstMs ?? (hasContent ? sinceStart() : undefined),
      totalMs: sinceStart(),
    };
    onProgress(run);
  }
  return { ...run, totalMs: sinceStart() };
}
