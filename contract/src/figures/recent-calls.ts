/** Figures of the latest calls, for lists of channels, keys and users where they are asked for. */
import * as z from "zod/mini";
import { queryFlag } from "../api/scalars.ts";

/** Asks for `recent` in each row. */
export const recentFilter = { recent: z.optional(queryFlag) };

export const callCount = z.object({ requests: z.int(), failures: z.int() });
export type CallCount = z.output<typeof callCount>;

/**
 * The last 24 hours of a channel, the last 14 days (UTC) of a key or a user; oldest first, the last
 * one still runs.
 */
export const recentCalls = z.optional(z.array(callCount));
