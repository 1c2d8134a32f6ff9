// The simulator's control API under /sim/: tests set scripts and read received calls.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { CallLog } from "./call-log.ts";
import { parseJson, readBody } from "./request-body.ts";
import { readScript, UnknownDirective } from "./script.ts";
import type { ScriptedKeys } from "./scripted-keys.ts";

export type SimulatorDeps = {
  callLog: CallLog;
  keys: ScriptedKeys;
  /** Forgets every script, call and kept object. */
  reset(): void;
};

export async function handleControl(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  deps: SimulatorDeps,
): Promise<void> {
  const { callLog, keys, reset } = deps;
  const body = await readBody(request);
  const reply = (status: number, value: unknown) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const key =
    url.pathname.startsWith("/sim/keys/") &&
    decodeURIComponent(url.pathname.slice("/sim/keys/".length));

  if (key && request.method === "PUT") {
    try {
      const script = readScript(parseJson(body ?? Buffer.alloc(0)));
      keys.set(key, script);
      reply(200, { key, script });
    } catch (cause) {
      if (!(cause instanceof UnknownDirective)) throw cause;
      reply(400, { error: cause.message });
    }
  } else if (key && request.method === "DELETE") {
    keys.forget(key);
    reply(200, { key });
  } else if (url.pathname === "/sim" && request.method === "DELETE") {
    reset();
    reply(200, {});
  } else if (url.pathname === "/sim/calls" && request.method === "GET") {
    reply(200, callLog.list());
  } else if (url.pathname === "/sim/calls" && request.method === "DELETE") {
    callLog.clear();
    reply(200, {});
  } else if (url.pathname === "/sim/stats" && request.method === "GET") {
    reply(200, callLog.stats);
  } else {
    reply(404, { error: `The simulator has no ${request.method} ${url.pathname}.` });
  }
}
