/** A try to send a notice to a destination. */
import { buildSeverity } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import { type Egress, EgressBlocked } from "../../egress/egress.ts";
import { requestText } from "../../egress/request-text.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import { composeNoticeMail, mailLanguage } from "../mail/mail-messages.ts";
import { readMailSite } from "../mail/mail-outbox.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { DestinationRow, DestinationStore } from "./destination-store.ts";
import { openTarget } from "./destination-target.ts";
import { buildNoticeEvent, buildVerificationEvent } from "./notice-event.ts";
import type { NoticePayload } from "./notice-payload.ts";
import { buildNoticeRequest, type DeliveryVerdict, judgeDelivery } from "./notice-request.ts";
import { composeAlertWords, composeCodeWords, composeNoticeLink } from "./notice-words.ts";

const timeoutMs = 15_000;
/** `replyBytesMax` is what a receiver answers is shown to operators; more of it is not read. */
const replyBytesMax = 16 * 1024;

export type SentNotice = { id: string } & (
  | { transition: NoticeTransition | "example"; payload: NoticePayload }
  /** The code proves that a user reads the destination. */
  | { transition: "verification"; code: string }
);

const nothing: NoticePayload = { alerts: [] };

export interface NoticeResult extends DeliveryVerdict {
  /** The receiver's own words, or why it could not be asked. */
  answer: string;
}

export type SendNotice = (destination: DestinationRow, notice: SentNotice) => Promise<NoticeResult>;

export interface SendNoticeDeps {
  egress: Egress;
  mailer: Pick<Mailer, "deliver">;
  seal: Sealer;
  options: OptionReader;
  publicUrl: string | undefined;
  destinations: Pick<DestinationStore, "homesOf">;
  clock(): number;
  signal: AbortSignal;
}

export function createSendNotice(deps: SendNoticeDeps): SendNotice {
  const { egress, mailer, seal, destinations, clock } = deps;
  const failed = (answer: string): NoticeResult => ({
    isDelivered: false,
    isGone: false,
    retryAfterMs: 0,
    answer,
  });

  return async (destination, notice) => {
    const { alerts } = notice.transition === "verification" ? nothing : notice.payload;
    const home = (await destinations.homesOf([destination.user_id])).get(destination.user_id);
    const language = mailLanguage(destination.language || (home?.language ?? ""));
    const words =
      notice.transition === "verification"
        ? composeCodeWords(language, notice.code)
        : composeAlertWords(language, notice.transition, notice.payload);
    const site = readMailSite(deps);
    const link =
      notice.transition === "verification" ? "" : composeNoticeLink(site.address, notice.payload);
    const target = openTarget(seal, destination);
    if (destination.kind === "mail") {
      const to = target?.address || home?.email;
      if (!to && destination.user_id > 0) return failed("the account has no mail address");
      if (!to) return failed("the super administrator has no mail address");
      const problem = await mailer.deliver(composeNoticeMail({ to, language }, site, words, link));
      return problem === undefined ? { ...failed(""), isDelivered: true } : failed(problem);
    }
    if (!target) return failed("the destination has no address");
    const request = buildNoticeRequest(
      destination.kind,
      {
        id: notice.id,
        at: clock(),
        severity: alerts[0] ? buildSeverity(alerts[0].rule) : "info",
        rule: alerts.length === 1 ? (alerts[0]?.rule ?? "") : "",
        title: `${words.subject} - ${site.name}`,
        lines: words.before,
        link,
        event:
          notice.transition === "verification"
            ? buildVerificationEvent(notice.code, site)
            : buildNoticeEvent(notice.transition, notice.payload, { site, link }),
      },
      target,
    );
    const violation = egress.violation(request.url);
    if (violation) return failed(`the address ${violation}`);
    try {
      const signal = AbortSignal.any([deps.signal, AbortSignal.timeout(timeoutMs)]);
      const reply = await requestText(
        egress,
        { method: "POST", replyBytesMax, ...request },
        signal,
      );
      return {
        ...judgeDelivery(destination.kind, reply),
        answer: `${reply.status} ${reply.text}`.trim(),
      };
    } catch (error) {
      return failed(explainFailure(error));
    }
  };
}

/** The message of an error may quote the address, which is a secret. */
function explainFailure(error: unknown): string {
  if (error instanceof EgressBlocked) return "the address is private";
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  if (name === "TimeoutError") return "no answer in time";
  return typeof code === "string" ? code : "the receiver could not be reached";
}
