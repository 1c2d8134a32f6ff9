/** A small HTTP request with a short reply. It is never retried, and follows no redirect. */
import type { Exit } from "./egress.ts";

const defaultReplyBytesMax = 256 * 1024;

export interface TextRequest {
  method: "GET" | "POST" | "PUT" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | Buffer | null;
  /** 256 KiB by default. */
  replyBytesMax?: number;
}

interface SmallReply {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface TextReply extends SmallReply {
  text: string;
}

export interface BytesReply extends SmallReply {
  bytes: Buffer;
}

export class ReplyTooLarge extends Error {}

/** The bytes of a reply that has no more than so many. */
export async function readWholeReply(
  body: AsyncIterable<Buffer>,
  replyBytesMax: number,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > replyBytesMax)
      throw new ReplyTooLarge(`the reply has more than ${replyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Throws when no whole reply arrives in time; an error status is a reply. */
export async function requestText(
  exit: Exit,
  request: TextRequest,
  signal: AbortSignal,
): Promise<TextReply> {
  const { bytes, ...reply } = await requestBytes(exit, request, signal);
  return { ...reply, text: bytes.toString("utf8") };
}

/** `requestBytes` does the same for a reply that is no text. */
export async function requestBytes(
  exit: Exit,
  { method, url, headers, body, replyBytesMax = defaultReplyBytesMax }: TextRequest,
  signal: AbortSignal,
): Promise<BytesReply> {
  const { origin, pathname, search } = new URL(url);
  const response = await exit.pool(new URL(url)).request({
    origin,
    path: pathname + search,
    method,
    signal,
    headers: { "user-agent": "Tollgate", ...headers },
    body,
  });
  const bytes = await readWholeReply(response.body, replyBytesMax);
  return { status: response.statusCode, headers: response.headers, bytes };
}
