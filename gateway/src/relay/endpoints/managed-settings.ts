/**
 * `GET /managed/settings`: what the operator has Claude Code do on machines that are signed in to
 * this gateway, by the protocol of Anthropic's own gateway. The agent asks at its start and about
 * once an hour.
 */
import { createHash } from "node:crypto";
import { parseAgentPolicies } from "../../settings/agent-policies.ts";
import type { CallerIdentity } from "../admission/caller-parts.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";
import { authenticateHolder, type HolderDeps } from "./key-usage.ts";

export interface AgentSettingsDeps extends HolderDeps {
  settings: HolderDeps["settings"] & {
    /** `AgentSettings` as root wrote it. */
    agentSettings(): string;
  };
}

/**
 * Sends the policy of the key's group, or nothing new where the agent has it. Throws `RelayRefused`
 * with 404 where there is none: the agent then works without.
 */
export async function showAgentSettings(
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: AgentSettingsDeps,
): Promise<void> {
  const caller = await authenticateHolder(exchange, deps);
  const policy = choosePolicy(deps.settings.agentSettings(), caller);
  if (policy === undefined) throw refuseWithoutPolicy();
  const text = JSON.stringify(policy);
  const checksum = createHash("sha256").update(text).digest("hex");
  const etag = `"${checksum}"`;
  if (exchange.request.headers["if-none-match"] === etag) {
    exchange.response.writeHead(304, ["etag", etag]);
    exchange.response.end();
    return;
  }
  const body = `{"uuid":"${writeAsUuid(checksum)}","checksum":"${checksum}","settings":${text}}`;
  exchange.answer(
    200,
    "application/json; charset=utf-8",
    Buffer.from(body),
    [],
    ["etag", etag, "cache-control", "no-store"],
  );
}

/** The policy of the account's own group, else the one for all. */
function choosePolicy(stored: string, { group }: CallerIdentity): object | undefined {
  const policies = parseAgentPolicies(stored);
  return policies?.get(group) ?? policies?.get("*");
}

/** The same policy has the same id on every node. */
const writeAsUuid = (hex: string): string =>
  hex.replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
    (_, a: string, b: string, c: string, d: string, e: string) => `${a}-${b}-8${c}-a${d}-${e}`,
  );

const refuseWithoutPolicy = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: "no_policy",
    message: "The operator gives agents no settings",
  });
