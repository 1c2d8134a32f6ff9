/**
 * Members of a body by their paths, such as `messages[].tool_calls[].id` or
 * `messages[].content[type=tool_use].name`. Pure.
 */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { type Fitted, removed } from "./value-rule.ts";

interface PathStep {
  name: string;
  /** The items of a list that are meant: all, or those with one value of one member. */
  items?: { name: string; value: string } | "all";
}

const steps = new Map<string, readonly PathStep[]>();

function parseStep(written: string): PathStep {
  const [, name = "", filter] = /^(\w+)(?:\[(.*)\])?$/.exec(written) ?? [];
  if (filter === undefined) return { name };
  const [member = "", value = ""] = filter.split("=");
  return { name, items: filter === "" ? "all" : { name: member, value } };
}

function parsePath(path: string): readonly PathStep[] {
  const known = steps.get(path);
  if (known) return known;
  const parsed = path.split(".").map(parseStep);
  steps.set(path, parsed);
  return parsed;
}

/** The names of a path without what it says of lists: as refusals and reports write it. */
export const stripConditions = (path: string): string => path.replaceAll(/\[[^\]]*\]/g, "");

export type Change = (value: unknown, holder: JsonRecord) => Fitted;

/**
 * The body with each value at the path changed; the same object where nothing changes. Missing
 * members stay missing.
 */
export const mapMember = (body: JsonRecord, path: string, change: Change): JsonRecord =>
  mapFromStep(body, parsePath(path), 0, change);

function mapFromStep(
  holder: JsonRecord,
  path: readonly PathStep[],
  at: number,
  change: Change,
): JsonRecord {
  const step = path[at];
  const value = step && holder[step.name];
  if (!step || value === undefined || value === null) return holder;
  const isLast = at === path.length - 1;
  const onward = (one: unknown): Fitted =>
    isLast ? change(one, holder) : isRecord(one) ? mapFromStep(one, path, at + 1, change) : one;
  return replaceMember(
    holder,
    step.name,
    value,
    step.items === undefined ? onward(value) : mapItems(value, step.items, onward),
  );
}

function mapItems(
  list: unknown,
  items: Exclude<PathStep["items"], undefined>,
  onward: (one: unknown) => Fitted,
): unknown {
  if (!Array.isArray(list)) return list;
  let isChanged = false;
  const mapped: unknown[] = [];
  for (const one of list as unknown[]) {
    const isMeant = items === "all" || (isRecord(one) && one[items.name] === items.value);
    const fitted = isMeant ? onward(one) : one;
    if (fitted !== one) isChanged = true;
    if (fitted !== removed) mapped.push(fitted);
  }
  return isChanged ? mapped : list;
}

function replaceMember(
  holder: JsonRecord,
  name: string,
  before: unknown,
  after: Fitted,
): JsonRecord {
  if (after === before) return holder;
  if (after !== removed) return { ...holder, [name]: after };
  const { [name]: _, ...rest } = holder;
  return rest;
}

/** The first value at the path. */
export function findMember(body: JsonRecord, path: string): unknown {
  let found: unknown;
  mapMember(body, path, (value) => {
    found ??= value;
    return value;
  });
  return found;
}

/** The body with a member that it lacks; objects around it are made. */
export function addMissingMember(body: JsonRecord, path: string, value: unknown): JsonRecord {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...body, [name]: value };
  const inner = body[name];
  return { ...body, [name]: addMissingMember(isRecord(inner) ? inner : {}, rest.join("."), value) };
}
