// docs/traces.md is made of the table of names that spans use.
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { attributeNames, operationNames, schemaUrls } from "./gen-ai-names.ts";

const introduction = `# Traces

<!-- Written by gateway/src/telemetry/traces-page.test.ts from the names themselves: run it with -u after a change. -->

With a collector of OpenTelemetry, calls of models and of tools of MCP servers become spans. They are made of the trace that the
console shows, after the call has ended and in a thread of their own: no call waits for a collector, and a collector that is away costs
spans and no call.

\`\`\`sh
OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318 npm start
\`\`\`

The protocol is OTLP over HTTP in JSON, which collectors take at port 4318. The table in [configuration.md](configuration.md) has
all variables. Texts of prompts, answers and errors, names of users, channels and keys, and headers are in no span.

## Which calls are sent

By default one trace in ten (\`OTEL_TRACES_SAMPLER_ARG\`), chosen by the end of the trace id, and every call that ended otherwise than
\`success\` or took longer than 30 seconds, 50 of these a second at most. A client's sampled flag changes nothing unless
\`OTEL_TRUST_CALLER_SAMPLING=true\`: it could make the gateway send everything. Of other programs' variables nothing stops the start:
what is not spoken here is a warning in the log, and without an endpoint none is judged. Calls that are refused before anything was held have no
trace and no spans; \`tollgate_refused_total\` counts them.

## The client's trace

The header \`traceparent\` of a client (W3C Trace Context) makes the call a part of its trace, and the response then carries the span of
the gateway in the same header. One that is not valid begins a new trace and is counted in
\`tollgate_trace_parents_invalid_total\`. The line of \`LOG_CALLS=true\` has \`trace_id\` and \`span_id\`.

A provider learns of the trace only where the operator wants it: \`"send_trace_context": true\` in the JSON settings of its channel, or
an address in \`UPSTREAM_PRIVATE_HOSTS\`, unless the channel says \`false\`. Its parent is then the span of the attempt, so that it
stands below the gateway and not beside it. The header \`baggage\` goes no further.

## The spans of a call

\`\`\`
SERVER  POST /v1/chat/completions         the call of the client, with the events tollgate.hold and tollgate.settle
└ CLIENT  chat gpt-5.5                    the answer of a model, over all attempts: tokens are counted here, once
  ├ CLIENT  POST                          an attempt at a channel
  └ CLIENT  POST                          the next attempt

SERVER  POST /mcp/search                  a call of a tool of an MCP server
└ CLIENT  tools/call find_pages           the server's answer; its arguments and its result are in no span
\`\`\`

Other messages of MCP are answered by the gateway itself, or list tools, and have no spans. An MCP server learns nothing of the trace.

## When the collector does not answer

Spans wait in a queue of 8,192 and go in batches of 512, or every two seconds. A batch is sent three times, after 429, 502, 503, 504
and failures of the connection alone, and later each time or when \`Retry-After\` says. Where the queue is full, the oldest calls that
went well give way first. \`tollgate_spans_total\` counts what was sent, rejected, lost and dropped; the log says once a minute why.
When the gateway stops, it waits five seconds for what is left.

The collector's address may be private, because the environment names it; no redirect is followed.
`;

const spanTitles = {
  call: "Server",
  model: "Model",
  tool: "Tool",
  attempt: "Attempt",
  all: "All",
} as const;

function page(): string {
  const rows = Object.values(attributeNames).map(({ released, latest, on, meaning }) => {
    const moved = latest === released ? "–" : `\`${latest}\``;
    return `| \`${released}\` | ${moved} | ${spanTitles[on]} | ${meaning} |`;
  });
  const operations = Object.entries(operationNames).map(
    ([entry, name]) => `| \`${entry}\` | \`${name}\` |`,
  );
  return [
    introduction,
    "## The names of attributes",
    "",
    `Those of ${schemaUrls.released}, and of the conventions' new home with \`OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental\`.`,
    "The conventions of generative AI still move; a release that changes the default says so.",
    "",
    "| Attribute | Newest name | Span | Meaning |",
    "|---|---|---|---|",
    ...rows,
    "",
    "| Endpoint | Operation |",
    "|---|---|",
    ...operations,
    "",
    "Other endpoints keep the gateway's own name.",
    "",
  ].join("\n");
}

test("the page lists the names that spans use", async () => {
  await expect(page()).toMatchFileSnapshot(join(repositoryDir, "docs/traces.md"));
});

test("no two attributes share a name", () => {
  for (const column of ["released", "latest"] as const) {
    const names = Object.values(attributeNames).map((name) => name[column]);
    expect(new Set(names).size).toBe(names.length);
  }
});
