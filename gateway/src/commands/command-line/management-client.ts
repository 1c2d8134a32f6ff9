/** Calls the management API of a running gateway, with a management key. */
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import { dryRunHeader, idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { getStatus } from "@tollgate/contract/site/status.ts";
import * as z from "zod/mini";

export interface GatewayAddress {
  url: string;
  key: string;
}

export interface ManagementAsk {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** A repeated call with the same one changes nothing more. */
  idempotencyKey?: string;
  /**
   * The gateway checks a change and does not make it. Only for gateways with the feature `dry_run`:
   * others make it.
   */
  isDryRun?: boolean;
}

/** `CommandError` is what stopped a command, in words for its user. */
export class CommandError extends Error {
  /** `refusal` is that of the gateway's refusal. */
  readonly refusal: string | undefined;
  constructor(message: string, refusal?: string) {
    super(message);
    this.refusal = refusal;
  }
}

const defaultTimeoutMs = 30_000;
const replyShape = z.looseObject({
  success: z.boolean(),
  message: z._default(z.string(), ""),
  code: z.optional(z.string()),
  data: z.optional(z.unknown()),
});
export type ManagementReply = z.output<typeof replyShape>;

export type ManagementClient = (
  endpoint: Endpoint,
  ask?: ManagementAsk,
) => Promise<ManagementReply>;

/**
 * Rejects with `CommandError` where the gateway cannot be reached, answers as something else, or
 * refuses.
 */
export function createManagementClient({ url, key }: GatewayAddress): ManagementClient {
  return async ({ method, path, variant, timeoutMs = defaultTimeoutMs }, ask = {}) => {
    const { params = {}, query = {}, body, idempotencyKey, isDryRun = false } = ask;
    const filled = path.replace(/:(\w+)/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ""),
    );
    const address = new URL(url.replace(/\/+$/, "") + filled);
    if (variant !== undefined) address.searchParams.set(variant, "1");
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    let reply: Response;
    try {
      reply = await fetch(address, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(idempotencyKey !== undefined && { [idempotencyHeader]: idempotencyKey }),
          ...(isDryRun && { [dryRunHeader.name]: dryRunHeader.value }),
        },
        // A key goes to the address that was given, and to no other.
        redirect: "error",
        signal: AbortSignal.timeout(timeoutMs),
        ...(method !== "GET" && { body: JSON.stringify(body ?? {}) }),
      });
    } catch (error) {
      const { cause, message } = error as Error & { cause?: Error };
      throw new CommandError(`${address.origin} cannot be reached: ${cause?.message ?? message}`);
    }
    const parsed = z.safeParse(replyShape, await reply.json().catch(() => undefined));
    if (!parsed.success)
      throw new CommandError(`${address.origin} is no gateway: it answered ${reply.status}`);
    if (!parsed.data.success) {
      const { message, code } = parsed.data;
      throw new CommandError(message || `refused with status ${reply.status}`, code);
    }
    return parsed.data;
  };
}

const statusWithFeatures = z.object({ features: z.array(z.string()) });

/** Older gateways make a change that is sent as a dry run. */
export async function knowsDryRun(call: ManagementClient): Promise<boolean> {
  const status = z.safeParse(statusWithFeatures, (await call(getStatus)).data);
  return status.data?.features.includes("dry_run") ?? false;
}
