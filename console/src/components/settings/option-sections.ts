import type { MessageDescriptor } from "@lingui/core";

export type OptionField = {
  key: string;
  kind:
    | "flag"
    | "number"
    | "quota"
    | "line"
    | "names"
    | "text"
    | "json"
    | "alert-rules"
    | "secret"
    | "fixed"
    | "choice";
  label: MessageDescriptor;
  help?: MessageDescriptor;
  /** `choices` are those of the kind "choice": what each stored value is called. */
  choices?: readonly { value: string; label: MessageDescriptor }[];
  /**
   * Shown before a save that changes this field: whom it lets in or keeps out, the one who saves
   * included.
   */
  warning?: (value: string | boolean) => MessageDescriptor | undefined;
};

export type OptionSection = {
  /** Its place on the page, in addresses. */
  id: string;
  title: MessageDescriptor;
  note?: MessageDescriptor;
  fields: readonly OptionField[];
};

/** Form values: booleans for flags, text for everything else, as in the API. */
export type OptionValues = Record<string, string | boolean>;

export type OptionChange = { key: string; value: string };

/** The server never sends secrets: an empty field keeps the stored one. */
export function buildValues(
  fields: readonly OptionField[],
  stored: ReadonlyMap<string, string>,
): OptionValues {
  return Object.fromEntries(
    fields.map(({ key, kind }) => [
      key,
      kind === "flag" ? stored.get(key) === "true" : (stored.get(key) ?? ""),
    ]),
  );
}

/**
 * The changed options, ordered by their prerequisites: a flag turns off before the options it needs
 * are cleared, and turns on after they are set.
 */
export function listChanges(
  fields: readonly OptionField[],
  values: OptionValues,
  saved: OptionValues,
): OptionChange[] {
  const rank = ({ value }: OptionChange) => (value === "false" ? 0 : value === "true" ? 2 : 1);
  return fields
    .filter(({ key, kind }) => kind !== "fixed" && values[key] !== saved[key])
    .map(({ key }) => ({ key, value: String(values[key]) }))
    .sort((one, other) => rank(one) - rank(other));
}
