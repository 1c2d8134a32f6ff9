/**
 * Settings that are JSON: our members go into those that are there, and out again where they still
 * hold what we wrote. Pure.
 */
import { isDeepStrictEqual } from "node:util";

export type SettingsMembers = { [name: string]: unknown };

export const isMembers = (value: unknown): value is SettingsMembers =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whole objects are merged; anything else is replaced. */
export function mergeMembers(present: SettingsMembers, ours: SettingsMembers): SettingsMembers {
  const merged: SettingsMembers = { ...present };
  for (const [name, value] of Object.entries(ours)) {
    const before = Object.hasOwn(present, name) ? present[name] : undefined;
    setOwn(
      merged,
      name,
      isMembers(value) ? mergeMembers(isMembers(before) ? before : {}, value) : value,
    );
  }
  return merged;
}

/**
 * `present` as it would be without ours: what still holds our value gets the one of `before`, or
 * goes.
 */
export function unmergeMembers(
  present: SettingsMembers,
  ours: SettingsMembers,
  before: SettingsMembers,
): SettingsMembers {
  const rest: SettingsMembers = { ...present };
  for (const [name, value] of Object.entries(ours)) {
    if (!Object.hasOwn(present, name)) continue;
    const [now, then] = [present[name], Object.hasOwn(before, name) ? before[name] : undefined];
    const hadIt = Object.hasOwn(before, name);
    if (isMembers(value) && isMembers(now)) {
      const inner = unmergeMembers(now, value, isMembers(then) ? then : {});
      if (Object.keys(inner).length === 0 && !hadIt) delete rest[name];
      else setOwn(rest, name, Object.keys(inner).length === 0 && hadIt ? then : inner);
    } else if (isDeepStrictEqual(now, value)) {
      if (hadIt) setOwn(rest, name, then);
      else delete rest[name];
    }
  }
  return rest;
}

/** A member named `__proto__` stays a member. */
const setOwn = (members: SettingsMembers, name: string, value: unknown): void => {
  Object.defineProperty(members, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
};
