import type { MessageDescriptor } from "@lingui/core";

export type OptionField = {
  key: string;
  kind: "flag" | "number" | "quota" | "line" | "names" | "text" | "json" | "secret" | "fixed";
  label: MessageDescriptor;
  help?: MessageDescriptor;
};

export type OptionSection = {
  title: MessageDescriptor;
  note?: MessageDescriptor;
  fields: readonly OptionField[];
};

/** What a form holds: switches as such, everything else as the text that it is on the wire. */
export type OptionValues = Record<string, string | boolean>;

export type OptionChange = { key: string; value: string };

/** Secrets come back as nothing: an empty field leaves them as they are. */
export function valuesOf(fields: readonly OptionField[], stored: ReadonlyMap<string, string>): OptionValues {
  return Object.fromEntries(
    fields.map(({ key, kind }) => [key, kind === "flag" ? stored.get(key) === "true" : (stored.get(key) ?? "")]),
  );
}

/**
 * What differs from what is saved, in an order that no prerequisite stands against: a switch goes off before what it
 * needs may go, and on after what it needs has come.
 */
export function changesOf(fields: readonly OptionField[], values: OptionValues, saved: OptionValues): OptionChange[] {
  const rank = ({ value }: OptionChange) => (value === "false" ? 0 : value === "true" ? 2 : 1);
  return fields
    .filter(({ key, kind }) => kind !== "fixed" && values[key] !== saved[key])
    .map(({ key }) => ({ key, value: String(values[key]) }))
    .sort((one, other) => rank(one) - rank(other));
}
