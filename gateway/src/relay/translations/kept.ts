/**
 * What of a body a translation keeps, written down as a tree of its members; whatever else a caller wrote is lost, and
 * can be named.
 */
import { isRecord, type Json, text } from "../json-parts.ts";

/**
 * All of a value, nothing of it, or of an object the members that are named; for a list the same of each entry. What
 * depends on the value is a function; a text from it says that the value is lost, under that name.
 */
export type Kept = boolean | KeptMembers | ((value: unknown) => boolean | KeptMembers | string);
export interface KeptMembers {
  readonly [member: string]: Kept;
}

/** More than any interface has members; a body of nonsense ends here. */
const lostMax = 100;
/** Names go into a header, and no interface has a member that is written otherwise. */
const nameable = /^[\w-]{1,64}$/;

/** Where a value stands; written out for what is lost alone, because nearly nothing is. */
interface Place {
  name: string;
  above: Place | undefined;
}

/** The members that are lost, as paths through the body with dots between: sorted, each once. */
export function lostOf(json: Json, kept: KeptMembers): string[] {
  const lost = new Set<string>();
  walk(json, kept, undefined, lost);
  return [...lost].toSorted();
}

function walk(value: unknown, keptOf: Kept, place: Place | undefined, lost: Set<string>): void {
  if (value === undefined || value === null || keptOf === true || lost.size >= lostMax) return;
  if (Array.isArray(value)) {
    for (const entry of value) walk(entry, keptOf, place, lost);
    return;
  }
  const kept = typeof keptOf === "function" ? keptOf(value) : keptOf;
  if (kept === true) return;
  if (kept === false) lost.add(pathOf(place));
  else if (typeof kept === "string") lost.add(pathOf(nameable.test(kept) ? { name: kept, above: place } : place));
  else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const member = memberOf(kept, name);
      if (member !== true && nameable.test(name)) walk(value[name], member, { name, above: place }, lost);
    }
  }
}

const pathOf = (place: Place | undefined): string =>
  place === undefined ? "" : place.above === undefined ? place.name : `${pathOf(place.above)}.${place.name}`;
const memberOf = (kept: KeptMembers, name: string): Kept => (Object.hasOwn(kept, name) ? (kept[name] ?? false) : false);

/** These members, whole. */
export const whole = (...names: string[]): KeptMembers => Object.fromEntries(names.map((name) => [name, true]));

/** Kept while it says no more than what happens anyway. */
export const only =
  (...values: unknown[]): Kept =>
  (value) =>
    values.includes(value);

/** Objects by their `type`, where texts may stand in their place; one of another type is lost under its name. */
export function byType(types: KeptMembers): Kept {
  const typed = Object.fromEntries(
    Object.entries(types).map(([type, kept]) => [type, typeof kept === "object" ? { type: true, ...kept } : kept]),
  );
  return (value) => {
    if (!isRecord(value)) return true;
    const type = text(value.type);
    const kept = memberOf(typed, type);
    if (kept === false) return type;
    return typeof kept === "function" ? kept(value) : kept;
  };
}
