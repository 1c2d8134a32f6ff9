/**
 * Questions that an API key asks about itself. They carry the key in a header and nothing of a
 * session: a refusal ends none, and the key gets into no cache, address or storage.
 */

import {
  readKeyBudgets,
  readKeyLogs,
  readKeyUsage,
} from "@tollgate/contract/accounts/key-holder.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { EndpointReply } from "../../api-call.ts";
import { ApiError } from "../../api-error.ts";
import { formatUnexpectedDataMessage, formatUnreachableMessage } from "../../api-messages.ts";
import { fitReply } from "../../compat/fit-reply.ts";
import { readEnvelope } from "../../compat/reply-envelope.ts";
import { basePath } from "../../site-path.ts";

const timeoutMs = 10_000;

async function askWithKey<E extends Endpoint>(endpoint: E, key: string): Promise<EndpointReply<E>> {
  const response = await fetch(basePath + endpoint.path, {
    headers: { Authorization: `Bearer ${key}` },
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {
    throw new ApiError(formatUnreachableMessage(), { status: 0, code: "unreachable" });
  });
  const { status } = response;
  const envelope = readEnvelope(await response.json().catch(() => null), response.ok);
  if (!envelope.success || !response.ok)
    throw new ApiError(envelope.message, { ...envelope, status });
  const fitted = fitReply(endpoint, envelope);
  if (fitted === undefined)
    throw new ApiError(formatUnexpectedDataMessage(), { status, code: "unexpected_data" });
  return { ...fitted, message: envelope.message } as EndpointReply<E>;
}

export type KeyReport = Awaited<ReturnType<typeof readKeyReport>>;

/** A key that is refused is refused by the first question; throws an ApiError. */
export async function readKeyReport(key: string) {
  const usage = await askWithKey(readKeyUsage, key);
  const [budgets, logs] = await Promise.all([
    askWithKey(readKeyBudgets, key),
    askWithKey(readKeyLogs, key),
  ]);
  return { usage: usage.data.data, budgets: budgets.data.data, logs: logs.data };
}
