/**
 * A check that a machine answers: a connection to it is opened and closed again, and nothing is
 * sent.
 */
import { connect, type LookupFunction } from "node:net";
import type { Exit } from "./egress.ts";

const answerWaitMs = 5_000;
const portOfProtocol: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "redis:": 6379,
  "rediss:": 6379,
};

/**
 * `findUnreachableUpstream` says why a provider's machine cannot be called; undefined where it
 * answers. Only where no proxy is in between.
 */
export async function findUnreachableUpstream(
  exit: Pick<Exit, "socketOptions">,
  url: URL,
): Promise<string | undefined> {
  try {
    return await findUnreachableHost(url, exit.socketOptions(url).lookup);
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * `findUnreachableHost` does the same of a machine of the operator's own, such as Redis, at any
 * address.
 */
export function findUnreachableHost(
  url: URL,
  lookup?: LookupFunction,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const port = Number(url.port) || portOfProtocol[url.protocol] || 0;
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port, ...(lookup && { lookup }) });
    const end = (reason: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(reason);
    };
    const timer = setTimeout(() => end(`no answer within ${answerWaitMs / 1_000} s`), answerWaitMs);
    socket.once("connect", () => end(undefined));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
