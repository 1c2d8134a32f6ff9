/** Paging and sorting as every list takes them. */
import * as z from "zod/mini";
import { queryInteger } from "./scalars.ts";

export const pageSizeDefault = 10;
export const pageSizeMax = 100;
/** Deeper pages are reached by narrowing the filter. */
const pageMax = 1_000_000;

/** Zero-based. */
const p = z.optional(queryInteger(0, pageMax));
/** 0 means the default; what is above the largest size gets the largest. */
const size = z.optional(
  z.pipe(
    queryInteger(0, 1_000_000),
    z.transform((value) => (value === 0 ? pageSizeDefault : Math.min(value, pageSizeMax))),
  ),
);

export const pageFields = { p, size };

/** `legacyOrders` are column names that older clients put into `order`: they mean that column, descending. */
export const sortFields = <const Sorts extends readonly string[], const Orders extends readonly string[] = []>(
  sorts: Sorts,
  legacyOrders?: Orders,
) => ({
  sort: z.optional(z.enum(sorts)),
  order: z.optional(z.enum(["asc", "desc", ...(legacyOrders ?? ([] as unknown as Orders))])),
});

/** `total_capped`: counting stopped at `total`, there are more. */
export const listExtras = z.object({ total: z.int(), total_capped: z.optional(z.boolean()) });
