/** Lists and sums about a team instead of the caller's own account. */
import * as z from "zod/mini";
import { reference } from "../api/ids.ts";

/**
 * `teamFilter` names the team that paid. A member gets the own rows in it, its admins and viewers
 * all of them; a team that the caller may not see answers like one that does not exist. Without it,
 * a reply is about what the caller's own wallet paid.
 */
export const teamFilter = { team_id: z.optional(reference) };
