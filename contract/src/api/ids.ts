/** Entities have an integer `id` and a version 7 `uuid`; requests may use either. */
import * as z from "zod/mini";
import { makeAboutField } from "./field-message.ts";

const uuid7Pattern =
  /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/;
const referencePattern =
  /^(?:[1-9][0-9]{0,15}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$/;
const explanation = makeAboutField("must be an integer id or a version 7 uuid");

export const entityId = z.int().check(z.minimum(1));
export const uuid7 = z
  .string()
  .check(z.regex(uuid7Pattern, makeAboutField("must be a version 7 uuid")));

/** `Reference` says how a request names an entity. */
export type Reference = { id: number; uuid?: undefined } | { uuid: string; id?: undefined };

export function buildReference(value: number | string): Reference {
  if (typeof value === "number") return { id: value };
  return value.includes("-") ? { uuid: value.toLowerCase() } : { id: Number(value) };
}

/** An id or uuid in a path, a query (as text) or a body. */
export const reference = z.pipe(
  z.union([entityId, z.string().check(z.regex(referencePattern, explanation))], explanation),
  z.transform(buildReference),
);

export const byId = z.object({ id: reference });

/** The members that name an entity in a body: `uuid` wins, `id` may hold either form. */
export const bodyReference = { id: z.optional(reference), uuid: z.optional(uuid7) };

interface EntityNaming {
  id?: Reference | undefined;
  uuid?: string | undefined;
}

export const isNamed = (body: EntityNaming) => body.uuid !== undefined || body.id !== undefined;
/** The message is prefixed with the field name `id`. */
export const namedExplanation = { ...makeAboutField("or uuid is required"), path: ["id"] };

/** The entity that a body names. Requires a body that passed `isNamed`. */
export function named(body: EntityNaming): Reference {
  if (body.uuid !== undefined) return { uuid: body.uuid.toLowerCase() };
  if (body.id !== undefined) return body.id;
  throw new TypeError("id or uuid is required");
}
