/** A short question to another machine that answers in JSON. Nothing of it is retried. */
import type { Egress } from "./egress.ts";

const answerBytesMax = 256 * 1024;

export interface Question {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Throws where no JSON came back in time; a status that says no is an answer. */
export async function askJson(
  egress: Egress,
  { method, url, headers, body }: Question,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  const { origin, pathname, search } = new URL(url);
  const answer = await egress.pool(new URL(url)).request({
    origin,
    path: pathname + search,
    method,
    signal,
    headers: {
      accept: "application/json",
      "user-agent": "Tollgate",
      ...(body !== undefined && { "content-type": "application/json; charset=utf-8" }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error(`the answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return { status: answer.statusCode, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown };
}
