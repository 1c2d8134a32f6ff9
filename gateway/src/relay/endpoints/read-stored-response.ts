/** `GET` and `DELETE /v1/responses/{id}`: a response that the gateway stores, for the user who requested it. */
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay-deps.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { authenticateExchange, sendJson } from "./json-endpoint.ts";

type StoredResponseEndpointDeps = Pick<RelayDeps, "apiKeys" | "settings" | "now" | "storedResponses">;

export async function readStoredResponse(
  exchange: Exchange,
  id: string,
  deps: StoredResponseEndpointDeps,
): Promise<void> {
  const stored = await deps.storedResponses.find(id, await authenticateExchange(exchange, deps));
  if (!stored) throw notFound();
  sendJson(exchange, stored.response);
}

export async function deleteStoredResponse(
  exchange: Exchange,
  id: string,
  deps: StoredResponseEndpointDeps,
): Promise<void> {
  if (!(await deps.storedResponses.remove(id, await authenticateExchange(exchange, deps)))) throw notFound();
  sendJson(exchange, { id, object: "response", deleted: true });
}

/** The same for a response that never existed, one that has expired, and one of another user. */
const notFound = (): RelayRefused =>
  new RelayRefused({ status: 404, type: "invalid_request_error", code: null, message: "The response was not found" });
