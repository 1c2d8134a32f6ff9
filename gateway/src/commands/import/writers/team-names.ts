/** Names of teams are unique here among the living: a name that is taken gets a part of its id. */
import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type { Database } from "../../../storage/database.ts";

const nameMax = 60;
const idPart = 8;

export interface TakenTeamNames {
  /** `take` gives the name that is free, and keeps it from the next one. */
  take(sourceId: string, name: string): string;
}

export async function readTeamNames({
  sql,
  read,
}: Pick<Database, "sql" | "read">): Promise<TakenTeamNames> {
  const rows = await read(
    sql.selectFrom("teams").select("name").where("status", "<>", teamStatus.deleted),
  );
  const taken = new Set(rows.map(({ name }) => name.toLowerCase()));
  return {
    take(sourceId, name) {
      const behind = ` ${sourceId.slice(0, idPart)}`;
      const free = taken.has(name.toLowerCase())
        ? `${name.slice(0, nameMax - behind.length)}${behind}`
        : name;
      taken.add(free.toLowerCase());
      return free;
    },
  };
}
