/** `GET` and `DELETE /v1/responses/{id}`: an answer that the gateway keeps, for whoever asked for it. */
import { authenticate, credentialOf } from "../admission/authenticate.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay.ts";
import { denied, RelayRefused } from "../wire/relay-refusal.ts";

type StoredResponseEndpointDeps = Pick<RelayDeps, "apiKeys" | "settings" | "now" | "storedResponses">;

export async function readStoredResponse(
  exchange: Exchange,
  id: string,
  deps: StoredResponseEndpointDeps,
): Promise<void> {
  const stored = await deps.storedResponses.find(id, await userIdOf(exchange, deps));
  if (!stored) throw notFound();
  sendStoredResponse(exchange, stored.response);
}

export async function deleteStoredResponse(
  exchange: Exchange,
  id: string,
  deps: StoredResponseEndpointDeps,
): Promise<void> {
  if (!(await deps.storedResponses.remove(id, await userIdOf(exchange, deps)))) throw notFound();
  sendStoredResponse(exchange, { id, object: "response", deleted: true });
}

async function userIdOf(exchange: Exchange, { apiKeys, settings, now }: StoredResponseEndpointDeps): Promise<number> {
  const credential = credentialOf(exchange.request.headers, settings.keyPrefix);
  if (!credential) throw denied(401, "No API key was given; send it as Authorization: Bearer sk-…");
  const { userId } = await authenticate(credential, apiKeys, exchange.address, now());
  return userId;
}

/** Said alike of what never was, what is gone, and what is somebody else's. */
const notFound = (): RelayRefused =>
  new RelayRefused({ status: 404, type: "invalid_request_error", code: null, message: "The response was not found" });

const sendStoredResponse = (exchange: Exchange, body: unknown): void =>
  exchange.answer(200, "application/json; charset=utf-8", Buffer.from(JSON.stringify(body)));
