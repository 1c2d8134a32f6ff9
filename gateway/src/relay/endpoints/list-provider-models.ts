/** Asks a provider for the names of its models. */

import { parseStatedEnds, type StatedEnds } from "../../catalogue/models/told-ends.ts";
import type { Egress } from "../../egress/egress.ts";
import { requestJson } from "../../egress/request-json.ts";
import type { ChannelAccess, ServedModels } from "../routing/channel-parts.ts";
import { readErrorReason } from "../upstream/forward.ts";
import { redact } from "../upstream/redact-secrets.ts";
import { isRecord } from "../wire/json-parts.ts";

/** OpenRouter's list with all its descriptions has about one megabyte. */
const replyBytesMax = 8 * 1024 * 1024;
const withinMs = 15_000;
const namesMax = 2_000;
/** The list of a channel separates names by commas. */
const usableName = /^[^\s,\p{Cc}]{1,200}$/u;

/** Undefined where the provider offers no list. */
export type ProviderModelList =
  | { names: string[]; isWhole: boolean; ends: StatedEnds }
  | { failure: string }
  | undefined;

/** The address of the list, beside the endpoint that the channel's calls go to. */
export function composeModelListUrl(
  channel: Pick<ServedModels, "urlsFor"> & Pick<ChannelAccess, "settings">,
): URL | undefined {
  const urls = channel.urlsFor("");
  const { format } = channel.settings.type;
  if (format === "gemini" && urls.gemini) return new URL(`${urls.gemini.href}?pageSize=1000`);
  if (format === "anthropic" && urls.claude_messages) {
    return replaceEnd(urls.claude_messages, "/messages", "/models?limit=1000");
  }
  if (format === "openai" && urls.chat_completions) {
    return replaceEnd(urls.chat_completions, "/chat/completions", "/models");
  }
  return undefined;
}

const replaceEnd = ({ href }: URL, end: string, other: string): URL | undefined =>
  href.endsWith(end) ? new URL(href.slice(0, -end.length) + other) : undefined;

/**
 * OpenAI's and Anthropic's lists, together.ai's bare array, and Gemini's, whose names have a
 * prefix.
 */
export function findModelNames(reply: unknown): string[] | undefined {
  const entries = findEntries(reply);
  if (entries === undefined) return undefined;
  const names = entries.filter(isRecord).flatMap(({ id, name }) => {
    const text =
      typeof id === "string" ? id : typeof name === "string" ? name.replace(/^models\//, "") : "";
    return usableName.test(text) ? [text] : [];
  });
  return [...new Set(names)].slice(0, namesMax);
}

function findEntries(reply: unknown): readonly unknown[] | undefined {
  const entries = Array.isArray(reply)
    ? reply
    : isRecord(reply)
      ? (reply.data ?? reply.models)
      : undefined;
  return Array.isArray(entries) ? entries : undefined;
}

export async function listProviderModels(
  egress: Egress,
  channel: ServedModels & ChannelAccess,
): Promise<ProviderModelList> {
  const url = composeModelListUrl(channel);
  if (url === undefined || channel.provider.tokenExchange) return undefined;
  const credentials = channel.provider.credentials(channel.key, { headers: [] });
  const headers: Record<string, string> = {};
  for (let index = 0; index + 1 < credentials.length; index += 2) {
    headers[credentials[index] ?? ""] = credentials[index + 1] ?? "";
  }
  try {
    const request = { method: "GET", url: url.href, headers, replyBytesMax } as const;
    const { status, body } = await requestJson(
      egress.through(channel.proxy),
      request,
      AbortSignal.timeout(withinMs),
    );
    if (status !== 200) return { failure: `status ${status}` };
    const names = findModelNames(body);
    return names === undefined
      ? { failure: "the reply is not in the expected format" }
      : {
          names,
          isWhole: names.length < namesMax && !hasNextPage(body),
          ends: parseStatedEnds(findEntries(body) ?? []),
        };
  } catch (error) {
    return { failure: redact(readReason(error), channel.key) };
  }
}

/** Anthropic says so by `has_more`, Gemini by the token of the next page. */
const hasNextPage = (reply: unknown): boolean =>
  isRecord(reply) && (reply.has_more === true || (reply.nextPageToken ?? "") !== "");

function readReason(error: unknown): string {
  if (error instanceof SyntaxError) return "the reply is not in the expected format";
  if (!(error instanceof Error)) return "unknown error";
  return error.name === "TimeoutError" ? "UND_ERR_HEADERS_TIMEOUT" : readErrorReason(error);
}
