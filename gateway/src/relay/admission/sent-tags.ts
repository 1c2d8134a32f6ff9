/**
 * The tags that a client sends with a call: our header, those of other gateways, and members of the
 * body. Pure.
 */
import type { IncomingHttpHeaders } from "node:http";
import { endUserTagKey, findTag, readTagList } from "@tollgate/contract/accounts/tags.ts";
import { isRecord } from "../wire/json-parts.ts";

export type TagPair = readonly [key: string, value: string];

/** More members than this are no tags but data. */
const membersMax = 32;
const endUserMax = 64;
const tagsHeader = "x-tollgate-tags";
/** JSON objects whose members are tags; `_user` is Portkey's name for the client's user. */
const jsonHeaders = [
  "x-litellm-spend-logs-metadata",
  "cf-aig-metadata",
  "x-portkey-metadata",
  "x-tfy-metadata",
];
const endUserHeaders = ["x-litellm-end-user-id", "x-litellm-customer-id"];
/** `headerPrefixes` are one header for each tag. */
const headerPrefixes = ["helicone-property-", "x-llmgateway-"];

export interface SentTags {
  /** `tags` are in the order in which they win over each other. */
  tags: readonly TagPair[];
  /** `note` is for the call's row. */
  note?: string;
}

/** `body` is what `findTagsInBody` found. */
export function buildSentTags(
  headers: IncomingHttpHeaders,
  body: readonly TagPair[] = [],
): SentTags {
  const own = headers[tagsHeader];
  const listed = typeof own === "string" ? readTagList(own) : [];
  const tags = [...(listed ?? []), ...listForeignTags(headers), ...body];
  return listed
    ? { tags }
    : { tags, note: `${tagsHeader} was ignored: it must be like team=search,env=prod` };
}

function listForeignTags(headers: IncomingHttpHeaders): TagPair[] {
  const found: TagPair[] = [];
  for (const name of endUserHeaders) found.push(...endUser(headers[name]));
  const { "x-litellm-tags": litellmTags } = headers;
  // LiteLLM's tags may be words alone, which say nothing about a key.
  if (typeof litellmTags === "string")
    found.push(...(readTagList(litellmTags.replaceAll(":", "=")) ?? []));
  for (const name of jsonHeaders) found.push(...listTagsInJson(headers[name]));
  for (const [name, value] of Object.entries(headers)) {
    const prefix = headerPrefixes.find((one) => name.startsWith(one));
    if (prefix !== undefined && typeof value === "string")
      found.push(...pair(name.slice(prefix.length), value));
  }
  return found;
}

function listTagsInJson(header: string | string[] | undefined): TagPair[] {
  if (typeof header !== "string") return [];
  try {
    return listMembers(JSON.parse(header));
  } catch {
    return [];
  }
}

function listMembers(value: unknown): TagPair[] {
  if (!isRecord(value)) return [];
  const found: TagPair[] = [];
  let seen = 0;
  for (const key in value) {
    seen += 1;
    if (seen > membersMax) break;
    const member = value[key];
    if (key === "user_id" || key === "_user") found.push(...endUser(member));
    else if (
      typeof member === "string" ||
      typeof member === "number" ||
      typeof member === "boolean"
    )
      found.push(...pair(key, String(member)));
  }
  return found;
}

function pair(key: string, value: string): TagPair[] {
  const tag = findTag(key, value);
  return tag ? [tag] : [];
}

/**
 * Longer ids are cut: what Claude Code sends names its user first, and then the session, of which
 * there are too many to count.
 */
function endUser(id: unknown): TagPair[] {
  return typeof id === "string" ? pair(endUserTagKey, id.slice(0, endUserMax)) : [];
}

/**
 * OpenAI's `metadata`, `safety_identifier` and `user`, Anthropic's `metadata.user_id`; undefined
 * where there is none.
 */
export function findTagsInBody(json: unknown): readonly TagPair[] | undefined {
  if (!isRecord(json)) return undefined;
  const { metadata, safety_identifier, user } = json;
  if (metadata === undefined && safety_identifier === undefined && user === undefined)
    return undefined;
  return [...listMembers(metadata), ...endUser(safety_identifier), ...endUser(user)];
}
