/**
 * `POST /v1/metrics`, `/v1/logs` and `/v1/traces`: what Claude Code tells of itself to the gateway
 * that it is signed in to, and to no other address.
 */
import type { Counters } from "../../limits/counters.ts";
import type { AgentTelemetry, TelemetrySignal } from "../../telemetry/agent-telemetry.ts";
import type { CallerIdentity } from "../admission/caller-parts.ts";
import { admitFree } from "../admission/token-limits.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { freeTerms, type ReadBodyDeps, readBody } from "../read-body.ts";
import { authenticateExchange, type CallerDeps } from "./json-endpoint.ts";

export interface TelemetryDeps extends CallerDeps, ReadBodyDeps {
  settings: CallerDeps["settings"] & { passesAgentTelemetry(): boolean };
  counters: Counters;
  /** Missing where the environment names no collector. */
  agentTelemetry: AgentTelemetry | undefined;
}

const bodyMax = 4 * 1024 * 1024;
/** Reports of one key: an agent sends about 13 a minute, and a person runs several. */
const reports = { limit: 300, windowMs: 60_000 };
const contentTypes = ["application/x-protobuf", "application/json"] as const;

/** All keys of a person are one sender. */
const nameSender = ({ userId, tokenId }: CallerIdentity): string =>
  userId > 0 ? `user ${userId}` : `key ${tokenId}`;

/**
 * Answers that all was taken, also where the operator wants none of it: an agent would otherwise
 * send it again. Throws `RelayRefused`.
 */
export const takeTelemetry =
  (signal: TelemetrySignal) =>
  async (exchange: KnownCall & ReplyToClient & SentAnswer, deps: TelemetryDeps): Promise<void> => {
    const caller = await authenticateExchange(exchange, deps);
    await admitFree(
      deps.counters,
      { ...reports, name: `agent-telemetry ${caller.tokenId}` },
      `At most ${reports.limit} reports a minute may be sent with one key`,
    );
    const body = await readBody(exchange.request, bodyMax, freeTerms(exchange, deps));
    const sent = exchange.request.headers["content-type"]?.split(";", 1)[0];
    const contentType = contentTypes.find((one) => one === sent) ?? contentTypes[1];
    if (deps.settings.passesAgentTelemetry())
      deps.agentTelemetry?.pass(signal, { sender: nameSender(caller), contentType, body });
    // The empty message of OTLP, in the client's encoding.
    exchange.answer(200, contentType, Buffer.from(contentType === contentTypes[1] ? "{}" : ""));
  };
