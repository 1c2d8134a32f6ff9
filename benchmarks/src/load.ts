/** Sends a number of chat calls, so many at once, and waits for every answer to its last byte. */
import { Pool } from "undici";

export interface Load {
  url: string;
  key: string;
  calls: number;
  concurrency: number;
  isStream: boolean;
}

/** Answers that came whole with status 200, and the seconds it took. */
export async function run({
  url,
  key,
  calls,
  concurrency,
  isStream,
}: Load): Promise<{ answered: number; seconds: number }> {
  const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
  const body = JSON.stringify({
    model: "gpt-4o-mini",
    max_tokens: 200,
    ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
    messages: [
      { role: "system", content: "You are a helpful assistant that answers briefly." },
      { role: "user", content: "Tell me something about toll gates, their history, and the people who ran them." },
    ],
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const started = performance.now();
  let sent = 0;
  let answered = 0;

  async function worker(): Promise<void> {
    while (sent < calls) {
      sent += 1;
      const { statusCode, body: answer } = await pool.request({
        path: "/v1/chat/completions",
        method: "POST",
        headers,
        body,
      });
      const text = await answer.text();
      if (statusCode === 200 && (isStream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}"))) answered += 1;
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker));
  await pool.close();
  return { answered, seconds: (performance.now() - started) / 1000 };
}
