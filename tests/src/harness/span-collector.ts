// A collector of OpenTelemetry: keeps the spans that it is sent, refuses what OTLP does not allow,
// and answers as the test says.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import type { OtlpAttribute, OtlpSpan } from "@tollgate/gateway/telemetry/otlp-span.ts";

interface Batch {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

export type ReceivedSpan = OtlpSpan & { values: Record<string, unknown> };

const ids = {
  traceId: /^(?!0{32})[0-9a-f]{32}$/,
  spanId: /^(?!0{16})[0-9a-f]{16}$/,
  nanos: /^[1-9]\d{18}$/,
};

function complaint(span: OtlpSpan): string | undefined {
  if (!ids.traceId.test(span.traceId)) return "traceId";
  if (!ids.spanId.test(span.spanId)) return "spanId";
  if (span.parentSpanId !== undefined && !ids.spanId.test(span.parentSpanId)) return "parentSpanId";
  if (!ids.nanos.test(span.startTimeUnixNano) || !ids.nanos.test(span.endTimeUnixNano))
    return "time";
  if (span.name === "" || ![2, 3].includes(span.kind)) return "name or kind";
  const names = span.attributes.map(({ key }) => key);
  return new Set(names).size === names.length ? undefined : "an attribute twice";
}

const valuesOf = (attributes: readonly OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

export async function startSpanCollector() {
  const spans: ReceivedSpan[] = [];
  const complaints: string[] = [];
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  let resource: Record<string, unknown> = {};
  const answer = { status: 200, isSilent: false };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url: path = "", headers } = request;
      const sent = Buffer.concat(chunks);
      const text = (headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent).toString(
        "utf8",
      );
      requests.push({ path, headers, text });
      if (answer.isSilent) return;
      if (answer.status === 200) {
        for (const part of (JSON.parse(text) as Batch).resourceSpans) {
          resource = valuesOf(part.resource.attributes);
          for (const span of part.scopeSpans.flatMap((scope) => scope.spans)) {
            const issue = complaint(span);
            if (issue === undefined) spans.push({ ...span, values: valuesOf(span.attributes) });
            else complaints.push(issue);
          }
        }
      }
      response.writeHead(answer.status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    complaints,
    requests,
    answer,
    resource: () => resource,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
