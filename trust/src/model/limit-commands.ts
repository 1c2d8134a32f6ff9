// Commands of what limits a team and its members: the caps of members by a template or by hand, the
// budget of the team, that of each of its runs, and budgets of users that count teams.
import fc from "fast-check";
import { command, pick, pickUser, slot } from "./model-command.ts";
import { runBudgetTerms, storeRunBudget } from "./run-room.ts";
import { compareAll, gainCap, place, reachTeam } from "./team-places.ts";

const amount = fc.integer({ min: 1, max: 300 });
/** A member has eight budgets at most. */
const capsMax = 6;

/**
 * A template of caps, or another amount of it: in force for all who follow it from then on. What
 * was changed by hand stays, and outlives the template.
 */
export const capMembers = command(
  "cap members",
  fc.record({ place, amount, isEnded: fc.boolean() }),
  async (model, gateway, { place: at, amount: units, isEnded }) => {
    const { gateway: runGateway } = gateway;
    const team = await reachTeam(model, gateway, at);
    const path = `/api/team/${team.id}/cap`;
    const { template } = team;
    if (!template) {
      if (team.members.some(({ caps }) => caps.length >= capsMax)) return;
      const body = { name: "each", window: "lifetime", amount: units };
      const { id } = await runGateway.root<{ id: number }>("POST", path, body);
      team.template = { id, amount: units };
      for (const member of team.members) if (member.isPresent) await gainCap(gateway, team, member);
    } else if (isEnded) {
      await runGateway.root("POST", `/api/team/${team.id}/remove_cap`, { cap_id: template.id });
      team.template = undefined;
      for (const member of team.members) {
        member.caps = member.caps.filter(({ follows }) => !follows);
        for (const cap of member.caps) cap.template = undefined;
      }
    } else {
      await runGateway.root("PUT", path, { cap_id: template.id, amount: units });
      template.amount = units;
      for (const { caps } of team.members)
        for (const cap of caps) if (cap.follows) cap.amount = units;
    }
    await compareAll(gateway, model);
  },
);

/** The cap of one member by hand, which keeps what it has counted; or back to the template. */
export const capMember = command(
  "cap member",
  fc.record({ place, who: slot, at: slot, amount, isBack: fc.boolean() }),
  async (model, gateway, { place: where, who, at, amount: units, isBack }) => {
    const { gateway: runGateway } = gateway;
    const team = await reachTeam(model, gateway, where);
    const user = pickUser(model, who);
    const member = team.members.find((one) => one.user === user && one.isPresent);
    const cap = pick(member?.caps ?? [], at);
    if (!cap) return;
    const { template } = team;
    const follow = isBack && template !== undefined && cap.template === template.id;
    const change = follow ? { follow } : { amount: units };
    await runGateway.root("PUT", `/api/team/${team.id}/member_cap`, {
      ...{ budget_id: cap.id, ...change },
    });
    Object.assign(cap, { follows: follow, amount: follow ? template.amount : units });
    await compareAll(gateway, model, user);
  },
);

/** More for the only window of a member's cap, from an admin of the team. */
export const grantCap = command(
  "grant cap",
  fc.record({ place, who: slot, at: slot, amount }),
  async (model, gateway, { place: where, who, at, amount: units }) => {
    const team = await reachTeam(model, gateway, where);
    const user = pickUser(model, who);
    const member = team.members.find((one) => one.user === user && one.isPresent);
    const cap = pick(member?.caps ?? [], at);
    if (!cap) return;
    await gateway.gateway.root("POST", `/api/team/${team.id}/grant_member_cap`, {
      ...{ budget_id: cap.id, amount: units },
    });
    cap.granted = (cap.granted ?? 0) + units;
    await compareAll(gateway, model, user);
  },
);

/** The budget of all keys of the team, or of each run that it pays for. */
export const limitTeam = command(
  "limit team",
  fc.record({ place, amount, terms: runBudgetTerms, isOfRuns: fc.boolean() }),
  async (model, gateway, { place: at, amount: units, terms, isOfRuns }) => {
    const { root } = gateway.gateway;
    const team = await reachTeam(model, gateway, at);
    if (isOfRuns) {
      const subject = { subject: "team_run" as const, subject_id: team.id };
      team.runBudget = await storeRunBudget(gateway, subject, team.runBudget, terms);
    } else if (team.budget) {
      await root("PUT", "/api/budget/", { id: team.budget.id, amount: units });
      team.budget.amount = units;
    } else {
      const { id } = await root<{ id: number }>("POST", "/api/budget/", {
        ...{ subject: "team", subject_id: team.id, name: "of the team", window: "lifetime" },
        amount: units,
      });
      team.budget = { id, amount: units, spent: 0 };
    }
    await compareAll(gateway, model);
  },
);

/**
 * The budget of an account, which counts keys of teams where it says so: saying so, or no longer,
 * begins a new counter.
 */
export const limitUser = command(
  "limit user",
  fc.record({ who: slot, amount, countsTeams: fc.boolean() }),
  async (model, gateway, { who, amount: units, countsTeams }) => {
    const { root } = gateway.gateway;
    const user = pickUser(model, who);
    const counts_team_keys = countsTeams;
    if (user.budget) {
      await root("PUT", "/api/budget/", { id: user.budget.id, amount: units, counts_team_keys });
      if (user.budget.countsTeams !== countsTeams)
        Object.assign(user.budget, { spent: 0, granted: 0 });
      Object.assign(user.budget, { amount: units, countsTeams });
    } else {
      const { id } = await root<{ id: number }>("POST", "/api/budget/", {
        ...{ subject: "user", subject_id: user.id, name: "of the user", window: "lifetime" },
        ...{ amount: units, counts_team_keys },
      });
      user.budget = { id, amount: units, spent: 0, countsTeams };
    }
    await compareAll(gateway, model, user);
  },
);
