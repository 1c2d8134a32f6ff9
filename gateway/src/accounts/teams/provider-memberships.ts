/**
 * Teams that a sign-in provider gives: at each sign-in the rules bring the person into teams, with a
 * role and a budget, and out of those that they no longer give (decision 97).
 */
import type { TeamGrant } from "@tollgate/contract/accounts/oidc-providers.ts";
import { noActor, type RequestContext } from "../../http/request-context.ts";
import { planMemberCaps } from "../../money/holds/inherited-budgets.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { changeBudget } from "../budgets/budget-rules.ts";
import type { BudgetStore } from "../budgets/budget-store.ts";
import type { InvitationStore } from "./invitation-store.ts";
import { buildGivenTerms, compareMemberships, isSameBudget } from "./provider-membership-rules.ts";
import type { ProviderMembershipStore } from "./provider-membership-store.ts";
import { buildMemberCap } from "./team-cap-rules.ts";
import { requireLiving } from "./team-guards.ts";
import type { TeamStore } from "./team-store.ts";

interface ProviderMembershipDeps {
  db: Database;
  store: ProviderMembershipStore;
  teams: Pick<TeamStore, "putMember" | "removeMember">;
  invitations: Pick<InvitationStore, "endOf">;
  budgets: Pick<BudgetStore, "update" | "remove">;
  options: OptionReader;
}

interface SignedInPerson {
  id: number;
  username: string;
}

/** `provider` as external accounts name it; `title` is its name on the button. */
interface GivingProvider {
  provider: string;
  title: string;
}

/** Statements of the batch that changes what a provider gives a person; none where nothing does. */
export type PlanProviderMemberships = (
  person: SignedInPerson,
  giving: GivingProvider,
  given: readonly TeamGrant[],
  call: RequestContext,
) => Promise<Write[]>;

/** `planProviderMemberships` locks teams in the order of their ids, as every batch does. */
export function createProviderMemberships(deps: ProviderMembershipDeps): PlanProviderMemberships {
  const { db, store, teams, invitations, budgets, options } = deps;

  return async (person, { provider, title }, given, call) => {
    const { now } = call;
    const held = await store.ofUser(person.id);
    if (given.length === 0 && !held.some(({ by_provider }) => by_provider === provider)) return [];
    const { put, kept, ended } = compareMemberships(provider, held, given);
    const living = await store.teamsOf(given.map(({ team }) => team));
    const stored = new Map(
      (await store.budgetsOf(provider, person.id)).map((row) => [row.team_id, row]),
    );
    const tell = (name: string, more: object) => ({
      ...{ name, user: person.username, provider },
      ...more,
    });

    const planMember = (team: (typeof living)[number], { role }: TeamGrant): Write[] => {
      const isJoining = !held.some(
        ({ team_id, left_at }) => team_id === team.id && left_at === null,
      );
      return [
        teams.putMember(team.id, person.id, role, now, provider),
        ...(isJoining ? planMemberCaps(db, { teamId: team.id, userIds: [person.id] }, now) : []),
        // What an admin offered ends with the right to offer it.
        ...(isJoining || role === "admin" ? [] : [invitations.endOf(team.id, person.id)]),
        ...call.audit("team.set_member", team.uuid, tell(team.name, { role }), noActor),
      ];
    };

    const planBudget = (team: (typeof living)[number], { budget }: TeamGrant): Write[] => {
      const row = stored.get(team.id);
      if (!budget) {
        if (!row) return [];
        const told = tell(team.name, { cap: row.name });
        return [
          budgets.remove(row),
          ...call.audit("team.remove_member_cap", team.uuid, told, noActor),
        ];
      }
      if (row && isSameBudget(row, budget)) return [];
      const told = tell(team.name, { cap: row?.name ?? title, ...budget });
      if (row)
        return [
          budgets.update(row, changeBudget(row, { id: { id: row.id }, ...budget }, now)),
          ...call.audit("team.update_member_cap", team.uuid, told, noActor),
        ];
      const terms = buildGivenTerms(title || provider, budget);
      const columns = buildMemberCap(0, terms, readUuid7(now), now, options.text("BudgetTimeZone"));
      return [
        store.insertBudget({ ...columns, by_provider: provider }, team.id, person.id),
        ...call.audit("team.create_member_cap", team.uuid, told, noActor),
      ];
    };

    const grants = new Map([...put, ...kept].map((grant) => [grant.team, grant]));
    const joined = living.flatMap((team) => {
      const grant = grants.get(team.uuid);
      if (!grant) return [];
      const writes = [
        ...(put.includes(grant) ? planMember(team, grant) : []),
        ...planBudget(team, grant),
      ];
      return writes.length === 0 ? [] : [requireLiving(db, team.id), ...writes];
    });
    const left = ended.flatMap((member) => [
      ...teams.removeMember(member, now),
      invitations.endOf(member.team_id, person.id),
      ...call.audit("team.remove_member", member.team, tell(member.name, {}), noActor),
    ]);
    // Keys are locked before budgets.
    return [...left, ...joined];
  };
}
