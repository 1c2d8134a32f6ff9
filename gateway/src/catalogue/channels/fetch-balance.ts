/** Asks a provider for the balance of a channel's account. */
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import type { Egress, Exit } from "../../egress/egress.ts";
import type { ProxyAddress } from "../../egress/proxy-address.ts";
import {
  type BalanceRequest,
  composeBalanceUrl,
  findBalanceApi,
  UnreadableBalance,
} from "./balance-apis.ts";
import type { ChannelRow } from "./channel-store.ts";

const replyCharsMax = 256 * 1024;
const timeoutMs = 30_000;

export type BalanceResult = { micros: number } | { error: string };
/**
 * Only for channels whose type has a balance API. A failure of the upstream is a result, not an
 * exception.
 */
export type FetchBalance = (channel: ChannelRow) => Promise<BalanceResult>;

export function createFetchBalance(
  egress: Egress,
  open: { key(channel: ChannelRow): string; proxy(channel: ChannelRow): ProxyAddress | undefined },
  now: () => number,
): FetchBalance {
  async function ask(
    exit: Exit,
    base: string,
    { path, headers }: BalanceRequest,
  ): Promise<unknown> {
    const url = composeBalanceUrl(base, path);
    const response = await exit.pool(url).request({
      method: "GET",
      path: url.pathname + url.search,
      headers: { accept: "application/json", "user-agent": "tollgate", ...headers },
      signal: AbortSignal.timeout(timeoutMs),
    });
    let text = "";
    for await (const chunk of response.body.setEncoding("utf8")) {
      text += chunk;
      if (text.length > replyCharsMax)
        throw new UnreadableBalance("the provider's answer is too large");
    }
    if (response.statusCode !== 200)
      throw new UnreadableBalance(`the provider answered with status ${response.statusCode}`);
    return parseReply(text);
  }

  return async (channel) => {
    const call = findBalanceApi(channel.type);
    if (!call) throw new TypeError(`channels of type ${channel.type} have no balance call`);
    const base = channel.base_url || findChannelType(channel.type)?.defaultBaseUrl || "";
    try {
      const exit = egress.through(open.proxy(channel));
      const requests = call.requests(open.key(channel), now());
      const replies = await Promise.all(requests.map((request) => ask(exit, base, request)));
      return { micros: Math.round(call.read(replies)) };
    } catch (error) {
      return { error: readReason(error) };
    }
  };
}

function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableBalance("the provider's answer is not JSON");
  }
}

/** Describes the failure without the address, which may contain a key. */
function readReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return `no answer within ${timeoutMs / 1000} seconds`;
  const { code } = error as { code?: unknown };
  return code === "ERR_INVALID_URL"
    ? "the channel has no usable address"
    : typeof code === "string"
      ? code
      : error.message;
}
