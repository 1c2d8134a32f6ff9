/**
 * Routes by which users say where they are told of what is theirs, prove that they read it, and see
 * what became of notices.
 */
import { createHash } from "node:crypto";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { AlertRuleName } from "@tollgate/contract/notices/alert-rule-table.ts";
import {
  createOwnDestination,
  deleteOwnDestination,
  getNoticeSettings,
  listOwnDestinations,
  listOwnNotices,
  type OwnDestination,
  type OwnDestinationInput,
  type OwnDestinationKind,
  ownDestinationsMax,
  rotateOwnDestination,
  sendOwnDestinationCode,
  setNoticeSettings,
  testOwnDestination,
  updateOwnDestination,
  verifyOwnDestination,
} from "@tollgate/contract/notices/own-destinations.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation } from "../../http/idempotency.ts";
import { enforceLimit } from "../../http/rate-limit.ts";
import { refuse } from "../../http/refusal.ts";
import type { Counters } from "../../limits/counters.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { makeMailCode } from "../mail/mail-code-rules.ts";
import type { MailCodeStore } from "../mail/mail-code-store.ts";
import { type DestinationRoutesDeps, viewNotice } from "./destination-endpoints.ts";
import { type DestinationRow, type NoticeHome, parseRules } from "./destination-store.ts";
import {
  buildTarget,
  checkTarget,
  describeTarget,
  makeFirstSigningSecret,
  openTarget,
  renewSecret,
  sealTarget,
} from "./destination-target.ts";
import { isReachable } from "./fold-alerts.ts";

interface OwnDestinationRoutesDeps extends DestinationRoutesDeps {
  codes: MailCodeStore;
  counters: Counters;
  options: OptionReader;
}

const hourMs = 3_600_000;
/**
 * `sentByUser` is that of one user: enough to set three destinations up with mistakes, too few to
 * annoy anyone.
 */
const sentByUser = { limit: 10, windowMs: hourMs };
/** `codesToTarget` counts codes to one receiver that is not proven yet, whichever users name it. */
const codesToTarget = { limit: 5, windowMs: 24 * hourMs };
/** `answerMax` is what a receiver answers is its own affair beyond this. */
const answerMax = 300;

export function ownDestinationRoutes(deps: OwnDestinationRoutesDeps): ApiRoute[] {
  const { db, destinations, notices, seal, addressIssue, send, canMail, codes, counters, options } =
    deps;

  const existing = async (reference: Reference, userId: number): Promise<DestinationRow> => {
    const row = await destinations.find(reference, userId);
    if (!row) throw refuse("destination_not_found");
    return row;
  };
  const homeOf = async (userId: number) => (await destinations.homesOf([userId])).get(userId);
  const view = async (row: DestinationRow) =>
    viewOwn(row, { canMail: canMail(), home: await homeOf(row.user_id) });
  const newRow = async (
    { kind, name, rules, language, ...sent }: OwnDestinationInput,
    userId: number,
    now: number,
  ) => {
    const target = buildTarget(kind, sent);
    checkTarget(kind, target, addressIssue);
    const uuid = readUuid7(now);
    // The account's own address is known to be its user's, and follows its changes.
    const { email = "" } = (await homeOf(userId)) ?? {};
    const isHome =
      kind === "mail" &&
      (target.address === "" || target.address.toLowerCase() === email.toLowerCase());
    return {
      uuid,
      name,
      kind,
      target_hint: isHome ? "" : describeTarget(kind, target),
      target_sealed: isHome ? "" : sealTarget(seal, uuid, target),
      language,
      severity: "info",
      rules: rules.join(","),
      disabled: 0,
      disabled_reason: "",
      failing_since: null,
      created_at: now,
      updated_at: now,
      user_id: userId,
      verified: isHome ? 1 : 0,
    } as const;
  };
  const sendNow = async (row: DestinationRow, notice: Parameters<typeof send>[1]) => {
    await enforceLimit(counters, { ...sentByUser, name: `own-notice ${row.user_id}` });
    const { isDelivered, answer } = await send(row, notice);
    return { delivered: isDelivered, answer: answer.slice(0, answerMax) };
  };

  return [
    apiRoute(listOwnDestinations, async ({ principal: { id } }) => {
      const mail = { canMail: canMail(), home: await homeOf(id) };
      return (await destinations.ofUsers([id])).map((row) => viewOwn(row, mail));
    }),
    apiRoute(createOwnDestination, async (call) => {
      const { body, principal, now } = call;
      const { reference: uuid, madeAt } = await idempotentCreation(db, call, {
        name: "own_destination.create",
        body,
        async create(remember) {
          const row = await newRow(body, principal.id, now);
          await db.write([...destinations.insert(row, ownDestinationsMax), ...remember(row.uuid)]);
          return row.uuid;
        },
      });
      const row = await existing({ uuid }, principal.id);
      return {
        ...(await view(row)),
        ...makeFirstSigningSecret(openTarget(seal, row), madeAt, now),
      };
    }),
    apiRoute(updateOwnDestination, async ({ params, body, principal, now }) => {
      const row = await existing(params.id, principal.id);
      const { name, language, rules, disabled } = body;
      const change = {
        name,
        language,
        rules: rules.join(","),
        disabled: disabled ? 1 : 0,
        disabled_reason: disabled ? row.disabled_reason : "",
        updated_at: Math.max(now, row.updated_at + 1),
      } as const;
      await db.write([destinations.update(row, change)]);
      return view({ ...row, ...change });
    }),
    apiRoute(deleteOwnDestination, async ({ params, principal }) => {
      const { id } = await existing(params.id, principal.id);
      await db.write(destinations.remove(id));
    }),
    apiRoute(rotateOwnDestination, async ({ params, principal, now }) => {
      const row = await existing(params.id, principal.id);
      const target = openTarget(seal, row);
      if (!target || row.kind !== "webhook") throw refuse("destination_not_signed");
      const rotated = renewSecret(target, now);
      const target_sealed = sealTarget(seal, row.uuid, rotated);
      await db.write([
        destinations.update(row, { target_sealed, updated_at: Math.max(now, row.updated_at + 1) }),
      ]);
      const [signing] = rotated.signing;
      return { signing_secret: signing?.secret ?? "" };
    }),
    apiRoute(sendOwnDestinationCode, async ({ params, principal, now }) => {
      const row = await existing(params.id, principal.id);
      if (row.verified === 1) throw refuse("destination_verified");
      if (row.kind === "mail" && !canMail()) throw refuse("mail_not_configured");
      const { address = "", recipient = "" } = openTarget(seal, row) ?? {};
      // Hashed, so that Redis holds no addresses.
      const receiver = createHash("sha256")
        .update(JSON.stringify([address.toLowerCase(), recipient]))
        .digest("base64url");
      await enforceLimit(counters, { ...codesToTarget, name: `own-notice-code ${receiver}` });
      const code = makeMailCode();
      await db.write([
        codes.put({ purpose: "destination", email: row.uuid, code, now, userId: principal.id }),
      ]);
      return sendNow(row, { id: `msg_${db.mintId()}`, transition: "verification", code });
    }),
    apiRoute(verifyOwnDestination, async ({ params, body, principal, now }) => {
      const row = await existing(params.id, principal.id);
      if (row.verified === 1) throw refuse("destination_verified");
      const proof = {
        purpose: "destination",
        email: row.uuid,
        code: body.verification_code,
        now,
      } as const;
      await db.write([codes.countAttempt(proof)]);
      const change = { verified: 1, updated_at: Math.max(now, row.updated_at + 1) } as const;
      await db.write([codes.consume(proof), destinations.update(row, change)]);
      return view({ ...row, ...change });
    }),
    apiRoute(testOwnDestination, async ({ params, principal }) => {
      const row = await existing(params.id, principal.id);
      if (row.verified === 0) throw refuse("destination_unverified");
      return sendNow(row, {
        id: `msg_${db.mintId()}`,
        transition: "example",
        payload: { alerts: [] },
      });
    }),
    apiRoute(listOwnNotices, async ({ query, principal }) => {
      const { rows, ...total } = await notices.page(query, principal.id);
      return { data: rows.map(viewNotice), ...total };
    }),
    apiRoute(getNoticeSettings, async ({ principal }) => ({
      balance_below: await destinations.balanceBelow(principal.id),
      site_balance_below: options.number("QuotaRemindThreshold"),
    })),
    apiRoute(setNoticeSettings, async ({ body, principal }) => {
      await db.write([destinations.setBalanceBelow(principal.id, body.balance_below)]);
    }),
  ];
}

const viewOwn = (
  row: DestinationRow,
  mail: { canMail: boolean; home: NoticeHome | undefined },
): OwnDestination => ({
  id: row.id,
  uuid: row.uuid,
  name: row.name,
  kind: row.kind as OwnDestinationKind,
  hint: row.target_hint,
  language: row.language,
  rules: parseRules(row) as AlertRuleName[],
  verified: row.verified === 1,
  disabled: row.disabled === 1,
  disabled_reason: row.disabled_reason,
  failing_since: row.failing_since,
  reachable: isReachable(row, mail),
});
