/** Asks a provider for its costs, page by page, within bounds. */
import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import type { CostReportFailure } from "@tollgate/contract/figures/cost-reports.ts";
import { composeBalanceUrl } from "../../catalogue/channels/balance-apis.ts";
import type { ChannelRow } from "../../catalogue/channels/channel-store.ts";
import type { Egress, Exit } from "../../egress/egress.ts";
import type { ProxyAddress } from "../../egress/proxy-address.ts";
import { NotJsonReply, requestJson } from "../../egress/request-json.ts";
import { ReplyTooLarge } from "../../egress/request-text.ts";
import type { CostLine } from "./compare-costs.ts";
import { findCostReportApi } from "./cost-report-apis.ts";
import {
  type CostReportQuestion,
  type CostReportSpan,
  type ReportedLine,
  UnreadableReport,
} from "./cost-report-question.ts";

/** `timeoutMs` are for all questions and pages of one report. */
const timeoutMs = 60_000;
const replyBytesMax = 8 * 1024 * 1024;
/** 31 days come in one page; an account with many line items may get more. */
const pagesMax = 40;
const linesMax = 20_000;

export type CostReportResult =
  | { lines: CostLine[] }
  | { failure: CostReportFailure; status: number };

export interface CostReportRequest extends CostReportSpan {
  channel: Pick<ChannelRow, "type" | "base_url">;
  key: string;
  /** The outbound proxy of the channel. */
  proxy: ProxyAddress | undefined;
  scope: string;
  /** Ends the request early. */
  signal?: AbortSignal | undefined;
}

/**
 * Only for channel types with a cost API. A failure of the provider is a result, not an exception.
 */
export type FetchCostReport = (request: CostReportRequest) => Promise<CostReportResult>;

class FailedReport extends Error {
  readonly failure: CostReportFailure;
  readonly status: number;
  constructor(failure: CostReportFailure, status = 0) {
    super(failure);
    this.failure = failure;
    this.status = status;
  }
}

export function createFetchCostReport(egress: Egress): FetchCostReport {
  async function ask(
    exit: Exit,
    address: string,
    { headers, key }: { headers: Record<string, string>; key: string },
    { path, query, read }: CostReportQuestion,
    signal: AbortSignal,
  ): Promise<ReportedLine[]> {
    const lines: ReportedLine[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < pagesMax; pages += 1) {
      const url = composeBalanceUrl(address, path);
      for (const [name, value] of query) url.searchParams.append(name, value);
      if (cursor !== undefined) url.searchParams.append("page", cursor);
      const { status, body } = await requestJson(
        exit,
        { method: "GET", url: url.href, headers, replyBytesMax },
        signal,
      );
      if (status !== 200) throw buildFailureOfStatus(status);
      const page = read(body);
      // A provider that knows the key could show it to administrators in a name.
      lines.push(
        ...page.lines.map((line) => ({ ...line, model: line.model.replaceAll(key, "…") })),
      );
      if (lines.length > linesMax) break;
      if (page.next === undefined) return lines;
      cursor = page.next;
    }
    throw new FailedReport("too_long");
  }

  return async ({ channel, key, proxy, scope, firstDay, lastDay, signal }) => {
    const api = findCostReportApi(channel.type);
    if (!api) throw new TypeError(`channels of type ${channel.type} have no cost API`);
    const address = channel.base_url || findChannelType(channel.type)?.defaultBaseUrl || "";
    const deadline = AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(timeoutMs)]);
    try {
      const lines: ReportedLine[] = [];
      for (const question of api.questions({ firstDay, lastDay }, scope))
        lines.push(
          ...(await ask(
            egress.through(proxy),
            address,
            { headers: api.headers(key), key },
            question,
            deadline,
          )),
        );
      return { lines: sumLines(lines).filter(({ day }) => day >= firstDay && day <= lastDay) };
    } catch (error) {
      const { failure, status } = classifyFailure(error, deadline);
      return { failure, status };
    }
  };
}

function buildFailureOfStatus(status: number): FailedReport {
  if (status === 401 || status === 403) return new FailedReport("refused_key", status);
  return new FailedReport(status === 429 ? "rate_limited" : "provider_status", status);
}

function classifyFailure(error: unknown, { aborted }: AbortSignal): FailedReport {
  if (error instanceof FailedReport) return error;
  if (error instanceof NotJsonReply && error.status !== 200)
    return buildFailureOfStatus(error.status);
  if (error instanceof UnreadableReport || error instanceof NotJsonReply)
    return new FailedReport("unreadable");
  if (error instanceof ReplyTooLarge) return new FailedReport("too_long");
  return new FailedReport(aborted ? "no_answer" : "unreachable");
}

const microsPerDollar = 1_000_000;

/**
 * `figureMax` is that of one figure in a whole report: a hundred million dollars, a hundred
 * trillion tokens. More is no report.
 */
const figureMax = 100_000_000_000_000;

/**
 * `sumLines` gives one line for each day and model. What no part of the report counts is null.
 * Throws `UnreadableReport`.
 */
export function sumLines(lines: readonly ReportedLine[]): CostLine[] {
  const figures = ["requests", "promptTokens", "completionTokens", "dollars"] as const;
  const sums = new Map<string, ReportedLine>();
  for (const { day, model, ...counted } of lines) {
    const key = JSON.stringify([day, model]);
    const sum = sums.get(key) ?? { day, model };
    for (const name of figures)
      if (counted[name] !== undefined) sum[name] = (sum[name] ?? 0) + counted[name];
    sums.set(key, sum);
  }
  const summed = [...sums.values()].map(
    ({ day, model, requests, promptTokens, completionTokens, dollars }) => ({
      day,
      model,
      requests: requests ?? null,
      prompt_tokens: promptTokens ?? null,
      completion_tokens: completionTokens ?? null,
      cost_micros: dollars === undefined ? null : Math.round(dollars * microsPerDollar),
    }),
  );
  for (const name of ["requests", "prompt_tokens", "completion_tokens", "cost_micros"] as const) {
    const total = summed.reduce((sum, line) => sum + Math.abs(line[name] ?? 0), 0);
    if (total > figureMax)
      throw new UnreadableReport("the provider's report has figures out of range");
  }
  return summed;
}
