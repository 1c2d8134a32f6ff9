/**
 * Requests for more of a budget: users whom it limits ask, and those who may change it decide. A
 * request is of the window in which it was made; what is granted is, too.
 */
import {
  askBudget,
  type BudgetRequest,
  declineBudgetRequest,
  grantBudgetRequest,
  listBudgetRequests,
} from "@tollgate/contract/accounts/budget-grants.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal } from "../../http/request-context.ts";
import { findWindow } from "../../money/holds/budget-windows.ts";
import { formatQuotaText } from "../../money/quota-text.ts";
import { planAlertEvent } from "../../notices/alerts/alert-events.ts";
import { unitsPerDollar } from "../../notices/alerts/dollars-of.ts";
import {
  composeBudgetAnsweredMail,
  composeBudgetAskedMail,
} from "../../notices/mail/mail-messages.ts";
import type { MailOutbox } from "../../notices/mail/mail-outbox.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database, Write } from "../../storage/database.ts";
import { canManage } from "../identity/users/user-edit-rules.ts";
import type { TeamStore } from "../teams/team-store.ts";
import { storeAmount, tellAmount } from "./budget-measures.ts";
import type { AskedBudget, BudgetRequestStore } from "./budget-request-store.ts";
import type { BudgetRow, BudgetStore, NamedBudgetRow } from "./budget-store.ts";
import { isOfRow } from "./budget-store.ts";
import { planGrant } from "./grant-budget.ts";

interface BudgetRequestDeps {
  db: Database;
  store: BudgetStore;
  requests: BudgetRequestStore;
  teams: Pick<TeamStore, "member">;
  options: OptionReader;
  outbox: Pick<MailOutbox, "notify">;
}

export function buildBudgetRequestRoutes({
  db,
  store,
  requests,
  teams,
  options,
  outbox,
}: BudgetRequestDeps): ApiRoute[] {
  /** Others than these do not even learn that the budget exists. */
  const limits = async (row: NamedBudgetRow, userId: number): Promise<boolean> => {
    if (row.subject === "member")
      return row.member_user_id === userId && row.member_left_at === null;
    if (row.subject === "team")
      return (await teams.member(row.subject_id, userId))?.left_at === null;
    return isOfRow(row) && (await store.ownerOf(row))?.id === userId;
  };

  /** `findDecider` reads once what says of any request whether the caller may decide it. */
  const findDecider = async (principal: Principal): Promise<Decider> => {
    const { id, role, isReadOnly } = principal;
    if (isReadOnly) return () => false;
    if (role >= roles.admin)
      return ({ budget: { subject }, asker }) =>
        subject === "member" ||
        subject === "team" ||
        asker.id === id ||
        canManage(principal, asker);
    const led = await requests.listLedTeams(id);
    return ({ budget, teamId }) => budget.subject === "member" && led.has(teamId);
  };

  const view = (asked: AskedBudget, mayDecide: Decider): BudgetRequest => {
    const { request, budget, asker, teamId: team_id } = asked;
    const { id, measure } = budget;
    return {
      ...{ id: request.id, budget_id: id, budget_name: budget.name, subject: budget.subject },
      subject_name: budget.username ?? budget.token_name ?? budget.team_name ?? "",
      ...{ team_id, team_name: budget.team_name ?? "" },
      ...{ measure, amount: tellAmount(measure, request.amount), reason: request.reason },
      ...{ user_id: asker.id, username: asker.username, created_at: request.created_at },
      ...{ window_start: request.window_start, resets_at: request.window_end },
      ...{ status: request.status, granted: tellAmount(measure, request.granted) },
      may_decide: request.status === "waiting" && mayDecide(asked),
    };
  };

  const tellAdmins = async ({ budget, asker, request, teamId }: AskedBudget): Promise<void> => {
    for (const admin of await requests.listTeamAdmins(teamId, asker.id))
      outbox.notify("budget request", admin, (reader, site) =>
        composeBudgetAskedMail(reader, site, {
          ...{ budget: budget.name, username: asker.username, reason: request.reason },
          amount: formatQuotaText(request.amount, options),
        }),
      );
  };

  /** Whom the site's administrators hear of by their alerts; a repetition fires no other one. */
  const planAlert = (
    { name, subject }: BudgetRow,
    { principal, now }: AuthenticatedContext,
    units: number,
  ): Write[] =>
    subject === "member"
      ? []
      : [
          planAlertEvent(
            db,
            {
              rule: "budget.asked",
              subject: { kind: "user", id: principal.id, name: principal.username },
              state: "firing",
              facts: {
                ...{ kind: "budget_asked", username: principal.username, budget: name },
                amount: formatQuotaText(units, options),
              },
              measure: { value: units / unitsPerDollar, threshold: null },
            },
            now,
          ),
        ];

  const ask = async (
    call: AuthenticatedContext & { body: BodyOf<typeof askBudget> },
    id: Reference,
  ) => {
    const { principal, now } = call;
    const budget = await store.find(id);
    const isLimited = budget !== undefined && (await limits(budget, principal.id));
    if (!budget || (!isLimited && principal.role < roles.admin)) throw refuse("budget_not_found");
    if (!isLimited || !takesRequests(budget)) throw refuse("budget_takes_no_requests");
    const window = findWindow(budget, now);
    const before = await requests.ofUser(budget.id, principal.id);
    const row = {
      ...{ id: db.mintId(), budget_id: budget.id, user_id: principal.id, created_at: now },
      ...{ amount: storeAmount(budget.measure, call.body.amount), reason: call.body.reason },
    };
    await db.write([requests.put(row, window), ...planAlert(budget, call, row.amount)]);
    const asked = await requests.ofUser(budget.id, principal.id);
    if (!asked) throw refuse("changed_meanwhile");
    const isTold =
      before?.request.window_start === window.start && !isDecided(before.request.status);
    // Who asks, withdraws and asks again is told once in a window.
    if (!isTold && budget.subject === "member") await tellAdmins(asked);
    return view(asked, await findDecider(principal));
  };

  const waiting = async (
    call: AuthenticatedContext,
    { id = 0 }: Reference,
  ): Promise<AskedBudget & { mayDecide: boolean }> => {
    const asked = await requests.find(id);
    const decides = asked !== undefined && (await findDecider(call.principal))(asked);
    const isSeen = decides || asked?.asker.id === call.principal.id;
    if (!isSeen || asked?.request.status !== "waiting") throw refuse("budget_request_not_found");
    return { ...asked, mayDecide: decides };
  };

  const tellAsker = ({ budget, asker }: AskedBudget, granted: number | undefined): void =>
    outbox.notify("budget answer", asker, (reader, site) =>
      composeBudgetAnsweredMail(reader, site, {
        budget: budget.name,
        granted: granted === undefined ? null : formatQuotaText(granted, options),
      }),
    );

  const grant = async (
    call: AuthenticatedContext & { body: BodyOf<typeof grantBudgetRequest> },
    id: Reference,
  ): Promise<void> => {
    const asked = await waiting(call, id);
    if (!asked.mayDecide) throw refuse("insufficient_role");
    const { budget, request, asker } = asked;
    const { amount = tellAmount(budget.measure, request.amount) } = call.body;
    const { window_start } = request;
    const { writes, told } = planGrant(db, budget, { amount, window_start }, call.now);
    const stored = storeAmount(budget.measure, amount);
    await db.write(
      [
        ...writes,
        requests.decide(request, "granted", stored),
        ...call.audit("budget.grant", budget.uuid, { ...told, asked_by: asker.username }),
      ],
      { changes: ["budgets"] },
    );
    if (asker.id !== call.principal.id) tellAsker(asked, stored);
  };

  const decline = async (call: AuthenticatedContext, id: Reference): Promise<void> => {
    const asked = await waiting(call, id);
    const { budget, request, asker } = asked;
    const isOwn = asker.id === call.principal.id;
    const change = { name: budget.name, asked_by: asker.username };
    await db.write([
      requests.decide(request, isOwn ? "withdrawn" : "declined"),
      ...(isOwn ? [] : call.audit("budget.decline", budget.uuid, change)),
    ]);
    if (!isOwn) tellAsker(asked, undefined);
  };

  return [
    apiRoute(askBudget, (call) => ask(call, call.params.id)),
    apiRoute(listBudgetRequests, async ({ principal, now }) => {
      const [visible, mayDecide] = await Promise.all([
        requests.visible(principal, now),
        findDecider(principal),
      ]);
      return visible
        .map((asked) => view(asked, mayDecide))
        .filter((one) => one.may_decide || one.user_id === principal.id || principal.isReadOnly);
    }),
    apiRoute(grantBudgetRequest, (call) => grant(call, call.params.id)),
    apiRoute(declineBudgetRequest, (call) => decline(call, call.params.id)),
  ];
}

type Decider = (asked: AskedBudget) => boolean;

const takesRequests = ({ on_reached, hard, enabled }: BudgetRow): boolean =>
  on_reached === "ask" && hard === 1 && enabled === 1;

const isDecided = (status: BudgetRequest["status"]): boolean =>
  status === "granted" || status === "declined";
