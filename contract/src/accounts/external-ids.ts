/**
 * The name that a program outside gives to a resource, so that it finds it again and repeats a
 * creation without a second one.
 */
import * as z from "zod/mini";
import { makeAboutField } from "../api/field-message.ts";
import { line } from "../api/scalars.ts";

export const externalIdMax = 100;

export const externalId = line(externalIdMax).check(
  z.minLength(1, makeAboutField("is required")),
  z.refine((id) => id.trim() === id, makeAboutField("must not begin or end with a space")),
);

/**
 * `externalIdOrNone` is in requests: empty for none. In replies, resources without one have an
 * empty text.
 */
export const externalIdOrNone = z.optional(
  z.union([z.literal(""), externalId], makeAboutField("must be a line of text")),
);

export const byExternalId = z.object({ external_id: externalId });

/** `externalIdFilter` is that of lists: the resource with exactly this name. */
export const externalIdFilter = { external_id: z.optional(externalId) };
