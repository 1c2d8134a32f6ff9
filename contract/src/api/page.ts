/** Paging and sorting parameters of every list. */
import * as z from "zod/mini";
import { queryInteger } from "./scalars.ts";

export const pageSizeDefault = 10;
export const pageSizeMax = 100;
/** Beyond this, clients narrow the filter. */
const pageMax = 1_000_000;

/** Zero-based. */
const p = z.optional(queryInteger(0, pageMax));
/** 0 means the default; larger values are reduced to the maximum. */
const size = z.optional(
  z.pipe(
    queryInteger(0, 1_000_000),
    z.transform((value) => (value === 0 ? pageSizeDefault : Math.min(value, pageSizeMax))),
  ),
);

export const pageFields = { p, size };

/**
 * `legacyOrders` are column names that older clients send as `order`, meaning that column in
 * descending order.
 */
export const sortFields = <
  const Sorts extends readonly string[],
  const Orders extends readonly string[] = [],
>(
  sorts: Sorts,
  legacyOrders?: Orders,
) => ({
  sort: z.optional(z.enum(sorts)),
  order: z.optional(z.enum(["asc", "desc", ...(legacyOrders ?? ([] as unknown as Orders))])),
});

/** `total_capped`: counting stopped at `total`; there are more rows. */
export const listExtras = z.object({ total: z.int(), total_capped: z.optional(z.boolean()) });
