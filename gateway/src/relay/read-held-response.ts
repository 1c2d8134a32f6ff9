/** `GET` and `DELETE /v1/responses/{id}`: an answer that the gateway keeps, for whoever asked for it. */
import { authenticate, credentialOf } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import type { RelayParts } from "./relay.ts";
import { denied, Refused } from "./relay-refusal.ts";

type Parts = Pick<RelayParts, "keys" | "settings" | "now" | "heldResponses">;

export async function readHeldResponse(exchange: Exchange, id: string, parts: Parts): Promise<void> {
  const held = await parts.heldResponses.find(id, await userOf(exchange, parts));
  if (!held) throw notFound();
  send(exchange, held.response);
}

export async function deleteHeldResponse(exchange: Exchange, id: string, parts: Parts): Promise<void> {
  if (!(await parts.heldResponses.remove(id, await userOf(exchange, parts)))) throw notFound();
  send(exchange, { id, object: "response", deleted: true });
}

async function userOf(exchange: Exchange, { keys, settings, now }: Parts): Promise<number> {
  const credential = credentialOf(exchange.request.headers, settings.keyPrefix);
  if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
  const { userId } = await authenticate(credential, keys, exchange.address, now());
  return userId;
}

/** Said alike of what never was, what is gone, and what is somebody else's. */
const notFound = (): Refused =>
  new Refused({ status: 404, type: "invalid_request_error", code: null, message: "The response was not found" });

const send = (exchange: Exchange, body: unknown): void =>
  exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(body)));
