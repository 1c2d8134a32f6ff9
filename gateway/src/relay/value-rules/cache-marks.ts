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

const isLong = ({ cache_control }: JsonRecord): boolean =>
  isRecord(cache_control) && cache_control.ttl === "1h";

/**
 * "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block": the earlier
 * ones are kept as long as the longest behind them.
 */
export function orderCacheMarks(body: JsonRecord): JsonRecord {
  const marks = cacheMarks(body);
  const last = marks.findLastIndex(({ holder }) => isLong(holder));
  const short = new Set(
    marks.slice(0, Math.max(last, 0)).flatMap(({ holder }) => (isLong(holder) ? [] : [holder])),
  );
  if (short.size === 0) return body;
  const keep = (block: JsonRecord): JsonRecord =>
    short.has(block) && isRecord(block.cache_control)
      ? { ...block, cache_control: { ...block.cache_control, ttl: "1h" } }
      : block;
  return mapMarked(body, keep);
}

/** Each block that may be marked, changed. */
function mapMarked(body: JsonRecord, change: (block: JsonRecord) => JsonRecord): JsonRecord {
  const mapList = (list: unknown): unknown =>
    Array.isArray(list)
      ? (list as unknown[]).map((one) => (isRecord(one) ? change(one) : one))
      : list;
  return {
    ...body,
    ...(body.tools !== undefined && { tools: mapList(body.tools) }),
    ...(body.system !== undefined && { system: mapList(body.system) }),
    messages: records(body.messages).map((message) => ({
      ...message,
      content: mapList(message.content),
    })),
  };
}

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
  return mapMarked(body, strip);
}
