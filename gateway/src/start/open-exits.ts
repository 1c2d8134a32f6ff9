import type { Config } from "../config/config.ts";
import type { OutboundProxy } from "../egress/egress.ts";
import { createEgress } from "../egress/egress.ts";

/** A receiver of notices that is silent for longer counts as failed. */
const noticeTimeoutMs = 15_000;

/**
 * `openExits` opens the ways out of the gateway: each has the private hosts that it may reach, so
 * that what one feature may call, no other one may.
 */
export const openExits = (config: Config, outbound: OutboundProxy) => ({
  egress: createEgress(
    config.upstreamPrivateHosts,
    {
      idleTimeoutMs: config.upstreamIdleTimeoutMs,
      connectTimeoutMs: config.upstreamConnectTimeoutMs,
    },
    outbound,
  ),
  identityEgress: createEgress(
    config.identityPrivateHosts,
    { privateHostsVariable: "IDENTITY_PRIVATE_HOSTS" },
    outbound,
  ),
  noticeEgress: createEgress(
    config.noticePrivateHosts,
    {
      idleTimeoutMs: noticeTimeoutMs,
      connectTimeoutMs: noticeTimeoutMs,
      privateHostsVariable: "NOTICE_PRIVATE_HOSTS",
    },
    outbound,
  ),
  guardEgress: createEgress(
    config.guardPrivateHosts,
    { privateHostsVariable: "GUARD_PRIVATE_HOSTS" },
    outbound,
  ),
  mcpEgress: createEgress(
    config.mcpPrivateHosts,
    { privateHostsVariable: "MCP_PRIVATE_HOSTS" },
    outbound,
  ),
  priceListEgress: createEgress(
    config.priceListPrivateHosts,
    { privateHostsVariable: "PRICE_LIST_PRIVATE_HOSTS" },
    outbound,
  ),
});
