/** A small HTTP request with a JSON reply. It is never retried. */
import type { Egress } from "./egress.ts";

const defaultReplyBytesMax = 256 * 1024;

export interface JsonRequest {
  method: "GET" | "POST";
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** 256 KiB by default. */
  replyBytesMax?: number;
}

/** A reply whose body is no JSON, as error pages of proxies are. */
export class NotJsonReply extends SyntaxError {
  readonly status: number;
  constructor(status: number, cause: unknown) {
    super("the reply is not JSON", { cause });
    this.status = status;
  }
}

export class ReplyTooLarge extends Error {}

/** Throws when no JSON reply arrives in time; an error status is a reply. */
export async function requestJson(
  egress: Egress,
  { method, url, headers, body, replyBytesMax = defaultReplyBytesMax }: JsonRequest,
  signal: AbortSignal,
): Promise<{ status: number; body: unknown }> {
  const { origin, pathname, search } = new URL(url);
  const response = await egress.pool(new URL(url)).request({
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
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > replyBytesMax) throw new ReplyTooLarge(`the reply has more than ${replyBytesMax} bytes`);
    chunks.push(chunk);
  }
  const status = response.statusCode;
  try {
    return { status, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown };
  } catch (error) {
    throw new NotJsonReply(status, error);
  }
}
