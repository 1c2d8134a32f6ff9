/**
 * Marks for Anthropic's prompt cache: "A maximum of 4 blocks with cache_control may be provided."
 * Pure.
 */
import { isRecord, type JsonRecord, records } from "../wire/json-parts.ts";

/** The places of cache marks in the order in which Anthropic reads them. */
function cacheMarks(
  body: JsonRecord,
): { holder: JsonRecord; part: "tools" | "system" | "messages" }[] {
  const marked = (part: "tools" | "system" | "messages", blocks: readonly JsonRecord[]) =>
    blocks
      .filter(({ cache_control }) => isRecord(cache_control))
      .map((holder) => ({ holder, part }));
  return [
    ...marked("tools", records(body.tools)),
    ...marked("system", records(body.system)),
    ...records(body.messages).flatMap(({ content }) => marked("messages", records(content))),
  ];
}

const marksMax = 4;

/**
 * The last four marks that help most: the tools' last, the system's last, and the last of the
 * conversation.
 */
export function limitCacheMarks(body: JsonRecord): JsonRecord {
  const marks = cacheMarks(body);
  if (marks.length <= marksMax) return body;
  const lastOf = (part: string) => marks.findLast((mark) => mark.part === part);
  const first = [lastOf("tools"), lastOf("system")].filter((mark) => mark !== undefined);
  const others = marks.filter((mark) => !first.includes(mark)).slice(first.length - marksMax);
  const kept = new Set([...first, ...others].map(({ holder }) => holder));
  const strip = (block: JsonRecord): JsonRecord => {
    if (kept.has(block) || !isRecord(block.cache_control)) return block;
    const { cache_control: _, ...rest } = block;
    return rest;
  };
  const stripList = (list: unknown): unknown =>
    Array.isArray(list)
      ? (list as unknown[]).map((one) => (isRecord(one) ? strip(one) : one))
      : list;
  return {
    ...body,
    ...(body.tools !== undefined && { tools: stripList(body.tools) }),
    ...(body.system !== undefined && { system: stripList(body.system) }),
    messages: records(body.messages).map((message) => ({
      ...message,
      content: stripList(message.content),
    })),
  };
}
