/** Providers that speak OpenAI's own shape: the caller's bytes go through, but for what we must replace. */
import type { RelayChannel } from "../channel-table.ts";
import { withMembers } from "../json-spans.ts";
import type { Call } from "../read-call.ts";
import type { Provider, UpstreamRequest } from "./provider.ts";

/** Where a type keeps chat completions, when it is not at `/v1/chat/completions`. */
const chatPaths: Readonly<Record<number, string>> = {
  27: "/v1/text/chatcompletion_v2",
  40: "/api/v3/chat/completions",
  47: "/v2/chat/completions",
  49: "/compatible-mode/v1/chat/completions",
};

/** A base address may end in its own version segment already, as in `…/v1` or `…/v1beta/openai`. */
const versioned = /\/v\d+[a-z]*(\/openai)?$/;

export function chatUrl(type: number, base: string): URL | null {
  const trimmed = base.replace(/\/+$/, "");
  const path = chatPaths[type] ?? (versioned.test(trimmed) ? "/chat/completions" : "/v1/chat/completions");
  return URL.canParse(trimmed + path) ? new URL(trimmed + path) : null;
}

export const openAiCompatible: Provider = {
  toUpstream(call: Call, channel: RelayChannel, model: string): UpstreamRequest {
    if (!channel.chatUrl) throw new TypeError(`channel ${channel.id} has no address for chat completions`);
    return {
      url: channel.chatUrl,
      headers: [
        "content-type",
        "application/json",
        "accept",
        call.isStream ? "text/event-stream" : "application/json",
        "authorization",
        `Bearer ${channel.key}`,
        "user-agent",
        "tollgate",
      ],
      body: bodyFor(call, channel, model),
    };
  },
};

function bodyFor(call: Call, channel: RelayChannel, model: string): Buffer {
  const replaced: Record<string, string> = {};
  if (model !== call.model) replaced.model = JSON.stringify(model);
  // Without this a stream ends without usage, and the charge would be a guess.
  if (call.isStream && !call.wantsUsage) {
    replaced.stream_options = JSON.stringify({ ...call.streamOptions, include_usage: true });
  }
  if (channel.systemPrompt !== null) replaced.messages = withSystemPrompt(call.body, channel.systemPrompt);
  return Object.keys(replaced).length === 0 ? call.body : withMembers(call.body, replaced);
}

/** The channel's prompt takes the place of a leading system message, or goes in front. */
function withSystemPrompt(body: Buffer, prompt: string): string {
  const { messages } = JSON.parse(body.toString("utf8")) as { messages: { role?: unknown }[] };
  const rest = messages[0]?.role === "system" ? messages.slice(1) : messages;
  return JSON.stringify([{ role: "system", content: prompt }, ...rest]);
}
