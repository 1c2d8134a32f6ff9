/**
 * Routes by which root says where notices of alerts go, tries that, and sees what became of them.
 */
import { isDeepStrictEqual } from "node:util";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  createDestination,
  type DestinationByExternalId,
  type DestinationInput,
  deleteDestination,
  destinationInput,
  destinationsMax,
  listDestinations,
  listNotices,
  type NoticeDestination,
  putDestination,
  resendNotice,
  rotateDestination,
  testDestination,
  updateDestination,
} from "@tollgate/contract/notices/destinations.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { idempotentCreation } from "../../http/idempotency.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { type DestinationRoutesDeps, viewNotice } from "./destination-endpoints.ts";
import { type DestinationRow, type NoticeHome, parseRules } from "./destination-store.ts";
import {
  buildTarget,
  checkSameTarget,
  checkTarget,
  describeTarget,
  makeFirstSigningSecret,
  openTarget,
  renewSecret,
  sealTarget,
} from "./destination-target.ts";
import { isReachable } from "./fold-alerts.ts";

/** `siteId` stands in place of a user, where a destination is the site's. */
const siteId = 0;

export function buildDestinationRoutes(deps: DestinationRoutesDeps): ApiRoute[] {
  const { db, destinations, notices, seal, addressIssue, send, canMail } = deps;

  const existing = async (reference: Reference): Promise<DestinationRow> => {
    const row = await destinations.find(reference, siteId);
    if (!row) throw refuse("destination_not_found");
    return row;
  };
  const mailState = async () => ({
    canMail: canMail(),
    home: (await destinations.homesOf([siteId])).get(siteId),
  });
  const view = async (row: DestinationRow) => viewDestination(row, await mailState());

  const newRow = (
    { kind, name, severity, rules, language, external_id, ...body }: DestinationInput,
    now: number,
  ) => {
    const { disabled, ...sent } = body;
    const target = buildTarget(kind, sent);
    checkTarget(kind, target, addressIssue);
    const uuid = readUuid7(now);
    const isRootMail = kind === "mail" && target.address === "";
    const shown = {
      name,
      kind,
      target_hint: describeTarget(kind, target),
      language,
      severity,
      rules: rules.join(","),
    };
    const rest = {
      uuid,
      external_id: external_id || null,
      target_sealed: isRootMail ? "" : sealTarget(seal, uuid, target),
      disabled: disabled ? 1 : 0,
      disabled_reason: "",
      failing_since: null,
      created_at: now,
      updated_at: now,
      user_id: siteId,
    } as const;
    return { shown, row: { ...shown, ...rest } };
  };

  const create = async (call: AuthenticatedContext, body: DestinationInput) => {
    const { reference: uuid, madeAt } = await idempotentCreation(db, call, {
      name: "destination.create",
      body,
      async create(remember) {
        const { shown, row } = newRow(body, call.now);
        const audits = call.audit("destination.create", row.uuid, shown);
        await db.write([
          ...destinations.insert(row, destinationsMax),
          ...audits,
          ...remember(row.uuid),
        ]);
        return row.uuid;
      },
    });
    const row = await existing({ uuid });
    return {
      ...(await view(row)),
      ...makeFirstSigningSecret(openTarget(seal, row), madeAt, call.now),
    };
  };

  const change = async (call: AuthenticatedContext, row: DestinationRow, told: ToldColumns) => {
    const updated_at = Math.max(call.now, row.updated_at + 1);
    await db.write([
      destinations.update(row, { ...told, updated_at }),
      ...call.audit("destination.update", row.uuid, findNamedChanges(row, told)),
    ]);
    return view({ ...row, ...told, updated_at });
  };

  const put = async (
    call: AuthenticatedContext,
    external_id: string,
    body: DestinationByExternalId,
  ) => {
    const row = await destinations.byExternalId(external_id);
    if (!row) return create(call, parseOrRefuse(destinationInput, { ...body, external_id }));
    checkSameTarget(row, openTarget(seal, row), body);
    const told = changeDestination(row, body);
    return isDeepStrictEqual({ ...row, ...told }, row) ? view(row) : change(call, row, told);
  };

  return [
    apiRoute(listDestinations, async ({ query: { external_id } }) => {
      const state = await mailState();
      const rows = await destinations.ofUsers([siteId]);
      const found = rows.filter(
        (row) => external_id === undefined || row.external_id === external_id,
      );
      return found.map((row) => viewDestination(row, state));
    }),
    apiRoute(createDestination, (call) => create(call, call.body)),
    apiRoute(updateDestination, async (call) => {
      const row = await existing(call.params.id);
      return change(call, row, changeDestination(row, call.body));
    }),
    apiRoute(putDestination, (call) => put(call, call.params.external_id, call.body)),
    apiRoute(deleteDestination, async (call) => {
      const { id, uuid, name, kind } = await existing(call.params.id);
      await db.write([
        ...destinations.remove(id),
        ...call.audit("destination.delete", uuid, { name, kind }),
      ]);
    }),
    apiRoute(rotateDestination, async (call) => {
      const row = await existing(call.params.id);
      const target = openTarget(seal, row);
      if (!target || row.kind !== "webhook") throw refuse("destination_not_signed");
      const rotated = renewSecret(target, call.now);
      await db.write([
        destinations.update(row, {
          target_sealed: sealTarget(seal, row.uuid, rotated),
          updated_at: Math.max(call.now, row.updated_at + 1),
        }),
        ...call.audit("destination.rotate", row.uuid, { name: row.name }),
      ]);
      const [signing] = rotated.signing;
      return { signing_secret: signing?.secret ?? "" };
    }),
    apiRoute(testDestination, async (call) => {
      const row = await existing(call.params.id);
      await db.write(call.audit("destination.test", row.uuid, { name: row.name }));
      const result = await send(row, {
        id: `msg_${db.mintId()}`,
        transition: "example",
        payload: { alerts: [] },
      });
      return { delivered: result.isDelivered, answer: result.answer };
    }),
    apiRoute(listNotices, async ({ query }) => {
      const { rows, ...total } = await notices.page(query, siteId);
      return { data: rows.map(viewNotice), ...total };
    }),
    apiRoute(resendNotice, async (call) => {
      const found =
        call.params.id.id === undefined ? undefined : await notices.findNotice(call.params.id.id);
      if (!found) throw refuse("notice_not_found");
      await db.write([
        notices.resend(found.id, call.now),
        ...call.audit("notice.resend", String(found.id), { destination: found.destination_id }),
      ]);
    }),
  ];
}

type ToldColumns = ReturnType<typeof changeDestination>;

/**
 * `changeDestination` gives what a destination is told, and whether; a missing member keeps its
 * value.
 */
function changeDestination(row: DestinationRow, change: DestinationByExternalId) {
  const { name = row.name, severity = row.severity, language = row.language } = change;
  const disabled = change.disabled ?? row.disabled === 1;
  return {
    ...{ name, severity, language },
    rules: change.rules?.join(",") ?? row.rules,
    disabled: disabled ? 1 : 0,
    disabled_reason: disabled ? row.disabled_reason : "",
  } as const;
}

const viewDestination = (
  row: DestinationRow,
  mail: { canMail: boolean; home: NoticeHome | undefined },
): NoticeDestination => ({
  id: row.id,
  uuid: row.uuid,
  external_id: row.external_id ?? "",
  name: row.name,
  kind: row.kind,
  hint: row.target_hint,
  language: row.language,
  severity: row.severity,
  rules: parseRules(row),
  disabled: row.disabled === 1,
  disabled_reason: row.disabled_reason,
  failing_since: row.failing_since,
  reachable: isReachable(row, mail),
});
