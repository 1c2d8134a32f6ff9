/**
 * What of a body a translation keeps, written down as a tree of its members; whatever else a caller wrote is lost, and
 * can be named.
 */
import { isRecord, type JsonRecord, text } from "../wire/json-parts.ts";

/**
 * All of a value, nothing of it, or of an object the members that are named; for a list the same of each entry. What
 * depends on the value is a function; a text from it says that the value is lost, under that name.
 */
export type FieldSupport = boolean | SupportedFields | ((value: unknown) => boolean | SupportedFields | string);
export interface SupportedFields {
  readonly [member: string]: FieldSupport;
}

/** More than any interface has members; a body of nonsense ends here. */
const droppedFieldsMax = 100;
/** Names go into a header, and no interface has a member that is written otherwise. */
const headerSafeName = /^[\w-]{1,64}$/;

/** Where a value stands; written out for what is lost alone, because nearly nothing is. */
interface FieldPath {
  name: string;
  parent: FieldPath | undefined;
}

/** The members that are lost, as paths through the body with dots between: sorted, each once. */
export function droppedFieldsOf(json: JsonRecord, supported: SupportedFields): string[] {
  const dropped = new Set<string>();
  collectDropped(json, supported, undefined, dropped);
  return [...dropped].toSorted();
}

function collectDropped(
  value: unknown,
  supportFor: FieldSupport,
  path: FieldPath | undefined,
  dropped: Set<string>,
): void {
  if (value === undefined || value === null || supportFor === true || dropped.size >= droppedFieldsMax) return;
  if (Array.isArray(value)) {
    for (const item of value) collectDropped(item, supportFor, path, dropped);
    return;
  }
  const supported = typeof supportFor === "function" ? supportFor(value) : supportFor;
  if (supported === true) return;
  if (supported === false) dropped.add(pathOf(path));
  else if (typeof supported === "string")
    dropped.add(pathOf(headerSafeName.test(supported) ? { name: supported, parent: path } : path));
  else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const member = supportOf(supported, name);
      if (member !== true && headerSafeName.test(name))
        collectDropped(value[name], member, { name, parent: path }, dropped);
    }
  }
}

const pathOf = (path: FieldPath | undefined): string =>
  path === undefined ? "" : path.parent === undefined ? path.name : `${pathOf(path.parent)}.${path.name}`;
const supportOf = (supported: SupportedFields, name: string): FieldSupport =>
  Object.hasOwn(supported, name) ? (supported[name] ?? false) : false;

/** These members, whole. */
export const wholeFields = (...names: string[]): SupportedFields =>
  Object.fromEntries(names.map((name) => [name, true]));

/** Kept while it says no more than what happens anyway. */
export const onlyValues =
  (...values: unknown[]): FieldSupport =>
  (value) =>
    values.includes(value);

/** Objects by their `type`, where texts may stand in their place; one of another type is lost under its name. */
export function byType(types: SupportedFields): FieldSupport {
  const supportByType = Object.fromEntries(
    Object.entries(types).map(([type, supported]) => [
      type,
      typeof supported === "object" ? { type: true, ...supported } : supported,
    ]),
  );
  return (value) => {
    if (!isRecord(value)) return true;
    const type = text(value.type);
    const supported = supportOf(supportByType, type);
    if (supported === false) return type;
    return typeof supported === "function" ? supported(value) : supported;
  };
}
