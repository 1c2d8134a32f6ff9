import type { IncomingMessage } from "node:http";

const bodyBytesMax = 64 * 1024 * 1024;

/** Undefined when it exceeds the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes <= bodyBytesMax) pieces.push(piece);
  }
  return bytes <= bodyBytesMax ? Buffer.concat(pieces) : undefined;
}

/** Undefined when it is not JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
