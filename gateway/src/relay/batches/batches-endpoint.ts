/** `/v1/batches`: a user's own batches, of which the gateway keeps the provider's last answer. */
import type { ProviderBatchRow } from "../../storage/tables/call-tables.ts";
import type { CallerIdentity, CallerReach } from "../admission/caller-parts.ts";
import { objectId, readObject, sendObjectRequest } from "../creations/provider-objects.ts";
import { sendJson } from "../endpoints/json-endpoint.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { admitObjectRequest } from "../stored-files/admit-object-request.ts";
import { objectAnswerMax } from "../stored-files/file-object.ts";
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";
import { RelayRefused, refuseBadRequest } from "../wire/relay-refusal.ts";
import { type CreateBatchDeps, createBatch } from "./create-batch.ts";

const pageDefault = 20;
const pageMax = 100;
const oneBatch = /^\/v1\/batches\/([^/]+)(\/cancel)?$/;

type BatchHandler = (
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: CreateBatchDeps,
) => Promise<void>;

/** Undefined for every other address. */
export function findBatchesEndpoint(method: string, path: string): BatchHandler | undefined {
  if (path === "/v1/batches") return { GET: listBatches, POST: createBatch }[method];
  const [, id = "", cancel] = oneBatch.exec(path) ?? [];
  if (!objectId.test(id)) return undefined;
  if (method === "GET" && !cancel) return (exchange, deps) => readBatch(exchange, id, deps);
  return method === "POST" && cancel
    ? (exchange, deps) => cancelBatch(exchange, id, deps)
    : undefined;
}

async function listBatches(
  exchange: KnownCall & ReplyToClient,
  deps: CreateBatchDeps,
): Promise<void> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const asked = new URLSearchParams(exchange.request.url?.split("?", 2)[1]);
  const limit = Number(asked.get("limit") ?? pageDefault);
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax)
    throw refuseBadRequest(
      "invalid_request_error",
      `limit must be an integer from 1 to ${pageMax}`,
      "limit",
    );
  const afterId = asked.get("after");
  const after =
    afterId === null ? undefined : await deps.batches.store.find(caller, "openai", afterId);
  if (afterId !== null && !after)
    throw refuseBadRequest("invalid_request_error", "after names no batch", "after");
  const rows = await deps.batches.store.page(caller, "openai", {
    after: after?.id,
    limit: limit + 1,
  });
  const data = rows.slice(0, limit).map(buildLastAnswer);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  sendJson(exchange, { object: "list", data, ...ends, has_more: rows.length > limit });
}

/** A batch that has ended is charged before its client reads where the answers are. */
async function readBatch(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: CreateBatchDeps,
): Promise<void> {
  const { row } = await ownBatch(exchange, id, deps);
  sendJson(
    exchange,
    row.state === "settled" ? buildLastAnswer(row) : await deps.batches.refresh(row),
  );
}

async function cancelBatch(
  exchange: KnownCall & ReplyToClient,
  id: string,
  deps: CreateBatchDeps,
): Promise<void> {
  const { row, caller } = await ownBatch(exchange, id, deps);
  if (row.state === "settled") throw refuseBadRequest("batch_ended", "The batch has ended");
  const home = await deps.providerStates.find("batch", id, caller, deps.channels.snapshot);
  if (!home) throw refuseBatchNotFound();
  const sent = await sendObjectRequest(
    deps,
    home,
    { method: "POST", path: `batches/${id}/cancel` },
    () => undefined,
  );
  if ("error" in sent) throw new RelayRefused(sent.error.refusal);
  await readObject(sent.answer, objectAnswerMax);
  // It may have ended at once, and then it is charged first.
  sendJson(exchange, await deps.batches.refresh(row));
}

/** Throws the same for a batch of another user as for one that never existed. */
async function ownBatch(
  exchange: KnownCall,
  id: string,
  deps: CreateBatchDeps,
): Promise<{ row: ProviderBatchRow; caller: CallerIdentity & CallerReach }> {
  const { caller } = await admitObjectRequest(exchange, deps);
  const row = await deps.batches.store.find(caller, "openai", id);
  if (!row) throw refuseBatchNotFound();
  return { row, caller };
}

const buildLastAnswer = ({ answer }: ProviderBatchRow): JsonRecord => parseObject(answer ?? "");

const refuseBatchNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: null,
    message: "The batch was not found",
  });
