/** A team of a configuration document while its parts are planned. */
import type { ConfiguredTeam } from "@tollgate/contract/commands/configured-teams.ts";
import type { ConfigurationDeps } from "./configuration-plan.ts";
import type { StoredTeam } from "./configured-team-store.ts";

export type TeamPlanDeps = Pick<
  ConfigurationDeps,
  "db" | "teams" | "teamParts" | "teamCaps" | "invitations" | "budgets" | "options" | "ruling"
>;

/** `PlannedTeam` is one that the document names and that the batch finds or makes. */
export interface PlannedTeam {
  wanted: ConfiguredTeam;
  /** Undefined for a new one. */
  row: StoredTeam | undefined;
  uuid: string;
  /** The id in statements: a new team has none before the batch runs. */
  id: number;
  /** Who owns it once the document is applied. */
  ownerId: number;
}
