/**
 * Makes the spans of one call from its record: one of the server, below it one of the logical call
 * with everything of generative AI, and below that one for each attempt. A call of a tool has one
 * below the first. No text of a prompt, an answer or an error is in any of them. Pure; runs in the
 * thread that sends spans.
 */
import { findNetwork } from "@tollgate/contract/api/cidr.ts";
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import {
  computeCachedTokens,
  computeCompletionTokens,
  promptTokens,
} from "../money/prices/price.ts";
import {
  type AttributeKey,
  formatProviderName,
  type NamingColumn,
  operationNames,
} from "./gen-ai-names.ts";
import { formatNanos, listAttributes, type OtlpSpan } from "./otlp-span.ts";
import type { TracedCall } from "./traced-call.ts";

export interface SpanNaming {
  column: NamingColumn;
  namesAccounts: boolean;
}

export const spanKinds = { server: 2, client: 3 } as const;
const errorStatus = { code: 2 } as const;
const serverErrorFrom = 500;

/** The path without what names a model: few values, as the conventions demand of a route. */
const readRoute = (url: string): string => {
  const path = url.split("?", 1)[0] ?? "";
  const [, start, action] = /^((?:\/upload)?\/v1beta\/models\/)[^:]+(:[A-Za-z]+)$/.exec(path) ?? [];
  return start === undefined ? path : `${start}{model}${action ?? ""}`;
};

/**
 * Paths in the reports of providers: `completion_tokens_details.reasoning_tokens`,
 * `thoughtsTokenCount`.
 */
const reasoningPath = /(?:^|\.)(?:reasoning_tokens|thoughtsTokenCount)$/;

/** The only method of MCP that is held for and charged. */
const mcpMethod = "tools/call";
/** `loggedTool` is as the log names the calls of a tool (relay/mcp/tool-names.ts). */
const loggedTool = /^mcp\/([^/]+)\/(.+)$/;

/** `composeSpanId` answers 16 hexadecimal digits. */
export function listSpans(
  call: TracedCall,
  { column, namesAccounts }: SpanNaming,
  newSpanId: () => string,
): OtlpSpan[] {
  const { trace, outcome } = call;
  const record = JSON.parse(call.record) as TraceRecord;
  const { request_received: receivedAt = 0, request_completed: completedAt = receivedAt } =
    record.timestamps;
  const failure = outcome === "success" ? undefined : outcome;
  const modelSpanId = newSpanId();
  const attributes = (
    values: Partial<Record<AttributeKey, string | number | boolean | undefined>>,
  ) => listAttributes(values, column);
  const span = (
    own: Pick<OtlpSpan, "spanId" | "name" | "kind" | "attributes">,
    parentSpanId: string | undefined,
    from: number,
    to: number,
    hasFailed: boolean,
  ): OtlpSpan => ({
    traceId: trace.traceId,
    ...own,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(trace.state !== "" && { traceState: trace.state }),
    startTimeUnixNano: formatNanos(from),
    // A clock that is set back must not make a span end before its start.
    endTimeUnixNano: formatNanos(Math.max(from, to)),
    ...(hasFailed && { status: errorStatus }),
  });
  const route = readRoute(record.url);
  const answered = trace.attempts.at(-1);

  const server = span(
    {
      spanId: trace.spanId,
      name: `${record.method} ${route}`,
      kind: spanKinds.server,
      attributes: attributes({
        method: record.method,
        route,
        status: record.status,
        clientAddress: findNetwork(call.address),
        callId: call.requestId,
        ...(namesAccounts && { userId: call.userId, tokenId: call.tokenId }),
        outcome,
        charge: call.charge,
        errorType: failure,
      }),
    },
    trace.parentSpanId,
    receivedAt,
    completedAt,
    record.status >= serverErrorFrom,
  );
  server.events = [
    ...(trace.heldAt > 0
      ? [{ name: "tollgate.hold", timeUnixNano: formatNanos(trace.heldAt) }]
      : []),
    { name: "tollgate.settle", timeUnixNano: formatNanos(call.settledAt) },
  ];

  const operation = operationNames[call.entry] ?? call.entry;
  const [, mcpServer, toolName] =
    (call.entry === "mcp" && loggedTool.exec(call.requestedModel)) || [];
  if (toolName !== undefined) {
    const [asked] = record.attempts;
    const tool = span(
      {
        spanId: answered?.spanId ?? modelSpanId,
        name: `${mcpMethod} ${toolName}`,
        kind: spanKinds.client,
        attributes: attributes({
          mcpMethod,
          operation,
          toolName,
          mcpServer,
          serverAddress: answered?.host,
          serverPort: answered?.port,
          errorType: failure,
        }),
      },
      trace.spanId,
      asked?.started_at ?? receivedAt,
      asked?.ended_at ?? completedAt,
      failure !== undefined,
    );
    return [server, tool];
  }
  const model = span(
    {
      spanId: modelSpanId,
      name: `${operation} ${call.requestedModel}`,
      kind: spanKinds.client,
      attributes: attributes({
        operation,
        provider: answered && formatProviderName(answered.channelType),
        requestModel: call.requestedModel,
        requestStream: call.isStream,
        responseModel: call.model,
        firstChunk: call.ttftMs > 0 ? call.ttftMs / msPerSecond : undefined,
        ...formatTokens(call),
        errorType: failure,
      }),
    },
    trace.spanId,
    trace.heldAt || receivedAt,
    completedAt,
    failure !== undefined,
  );

  const attempts = record.attempts.map((attempt, at) => {
    const traced = trace.attempts[at];
    const result = call.results[at] ?? "stopped";
    return span(
      {
        spanId: traced?.spanId ?? newSpanId(),
        name: record.method,
        kind: spanKinds.client,
        attributes: attributes({
          method: record.method,
          channelId: attempt.channel_id,
          serverAddress: traced?.host,
          serverPort: traced?.port,
          status: attempt.status || undefined,
          resendCount: at || undefined,
          errorType:
            result === "ok"
              ? undefined
              : attempt.status >= httpErrorFrom
                ? String(attempt.status)
                : result,
        }),
      },
      modelSpanId,
      attempt.started_at,
      attempt.ended_at ?? completedAt,
      result !== "ok",
    );
  });
  return [server, model, ...attempts];
}

const msPerSecond = 1_000;
const httpErrorFrom = 400;

/**
 * Only where something was counted: a call without an answer used nothing, and 0 would say that it
 * used nothing.
 */
function formatTokens({
  usage,
  usageDetails,
}: TracedCall): Partial<Record<AttributeKey, number | undefined>> {
  const input = promptTokens(usage);
  const output = computeCompletionTokens(usage);
  if (input + output === 0) return {};
  return {
    inputTokens: input,
    outputTokens: output,
    cacheRead: computeCachedTokens(usage) || undefined,
    cacheWrite: usage.cache_write_5m + usage.cache_write_1h || undefined,
    reasoning: findReasoningTokens(usageDetails),
  };
}

function findReasoningTokens(usageDetails: string | null): number | undefined {
  const { reported = {} } = JSON.parse(usageDetails ?? "{}") as {
    reported?: Record<string, number | string>;
  };
  const [, count] = Object.entries(reported).find(([path]) => reasoningPath.test(path)) ?? [];
  return typeof count === "number" && Number.isSafeInteger(count) ? count : undefined;
}
