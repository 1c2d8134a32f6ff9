/** The questions of management keys about a team. They know no more of teams. */
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { Principal } from "../../http/request-context.ts";
import { findTeam } from "./reach-team.ts";
import { mayDo } from "./team-rules.ts";
import type { TeamStore } from "./team-store.ts";

export const createFindManagedTeam =
  (teams: Pick<TeamStore, "find" | "member">) =>
  async (principal: Principal, reference: Reference) => {
    const found = await findTeam(teams, principal, reference);
    if (!found) return undefined;
    const { row, standings } = found;
    const own = standings.filter((standing) => standing !== "site");
    return { id: row.id, mayManage: mayDo(standings, "manage"), isAdmin: mayDo(own, "manage") };
  };
