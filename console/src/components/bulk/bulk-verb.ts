/** The acts that a list offers for many of its rows, as data. */
import type { MessageDescriptor } from "@lingui/core";
import type { BulkMembers, BulkRow } from "@tollgate/contract/api/bulk-verbs.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";

/**
 * The request of an act on many rows. Without `body` and `rows`, rows are named by their ids and
 * answered as `BulkRow`.
 */
export type BulkCall = {
  endpoint: Endpoint;
  refreshes: readonly Endpoint[];
  body?: (ids: readonly string[], request: object) => object;
  // biome-ignore lint/suspicious/noExplicitAny: the rows of the endpoint's own reply
  rows?: (rows: any) => BulkRow[];
};

export type BulkField = {
  name: string;
  label: MessageDescriptor;
  help?: MessageDescriptor;
  kind?: "text" | "number" | "secret";
  isOptional?: boolean;
};

export type BulkVerb = {
  id: string;
  label: MessageDescriptor;
  /** Shown in the menu of the bar, and not as a button. */
  isInMenu?: boolean;
  isDanger?: boolean;
  /** `warning` is what the preview cannot say. */
  warning?: MessageDescriptor;
  fields?: readonly BulkField[];
  /**
   * The members of the request besides the rows, from what was typed; undefined where that is not
   * enough.
   */
  request: (
    typed: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, unknown>> | undefined;
  /**
   * The request that gives a changed row its old state; undefined for a row whose state no request
   * restores.
   */
  undo?: (row: BulkRow) => Readonly<Record<string, unknown>> | undefined;
  /** Words for the members of a row that change. */
  show?: (members: BulkMembers) => string;
};

/** A verb that needs nothing but the rows. */
export const buildPlainVerb = (verb: Omit<BulkVerb, "request">): BulkVerb => ({
  ...verb,
  request: () => ({ verb: verb.id }),
});

/** A text field that must not be empty. */
export const buildTextVerb = (
  verb: Omit<BulkVerb, "request" | "fields">,
  field: BulkField,
): BulkVerb => ({
  ...verb,
  fields: [field],
  request: (typed) => {
    const text = (typed[field.name] ?? "").trim();
    return text === "" ? undefined : { verb: verb.id, [field.name]: text };
  },
});
