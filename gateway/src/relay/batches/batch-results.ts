/** What a batch that has ended left at its provider: the files with its answers, and what its log row and trace say of it. */
import type { TraceRecord } from "@tollgate/contract/traces.ts";
import type { ProviderBatchRow, ProviderFileRow } from "../../storage/tables/call-tables.ts";
import { fileRow, objectId } from "../stored-files/file-object.ts";
import { badAnswer } from "../stored-files/provider-objects.ts";
import { piecesOf } from "../upstream/answer-pieces.ts";
import type { UpstreamResponse } from "../upstream/forward.ts";
import { type JsonRecord, text } from "../wire/json-parts.ts";
import { LineSplitter } from "../wire/line-splitter.ts";
import { batchFormats } from "./batch-line.ts";
import type { BatchTerms } from "./batch-terms.ts";
import { addLine, type BatchSum, emptySum } from "./batch-usage.ts";

/** One answer of a result, as large as that of a call. */
const lineBytesMax = 64 * 1024 * 1024;

/** Reads the answers, and the requests that failed, line by line. Throws `RelayRefused` where a file is not whole. */
export async function readResults(
  row: ProviderBatchRow,
  answer: JsonRecord,
  terms: BatchTerms,
  read: (path: string) => Promise<UpstreamResponse>,
  mintId: () => number,
): Promise<{ sum: BatchSum; files: ProviderFileRow[] }> {
  const sum = emptySum();
  const files: ProviderFileRow[] = [];
  const format = batchFormats[terms.endpoint]?.upstream;
  for (const id of [answer.output_file_id, answer.error_file_id]) {
    if (typeof id !== "string" || !objectId.test(id) || !format) continue;
    const splitter = new LineSplitter(lineBytesMax);
    const content = await read(`files/${id}/content`);
    let bytes = 0;
    try {
      for await (const piece of piecesOf(content)) {
        bytes += piece.length;
        for (const line of splitter.push(piece)) addLine(sum, line, format, terms);
      }
      for (const line of splitter.end()) addLine(sum, line, format, terms);
    } catch (error) {
      if (content.failure) throw badAnswer("The result of the batch is not whole");
      content.abort("the result cannot be read");
      throw error;
    }
    const facts = { purpose: "batch_output", filename: `${row.batch_id}.jsonl`, bytes };
    files.push(fileRow({ id }, facts, { id: mintId(), channel_id: row.channel_id, user_id: row.user_id }));
  }
  return { sum, files };
}

export function outcomeOf(status: string, { answered }: BatchSum): string {
  if (answered > 0) return status === "completed" ? "success" : "cut";
  return status === "cancelled" ? "client_left" : "failed";
}

export function sumNote(
  { status }: JsonRecord,
  { answered, failed, uncounted, tiered }: BatchSum,
  { lines }: BatchTerms,
): string {
  const parts = [`batch of ${lines} lines, ${text(status)}: ${answered} answered, ${failed} failed`];
  if (uncounted > 0) parts.push(`${uncounted} without a count, which are estimated`);
  if (tiered > 0) parts.push(`${tiered} charged at the rates for longer prompts`);
  return parts.join("; ");
}

export function traceOf(
  row: ProviderBatchRow,
  { snapshot, channelName }: BatchTerms,
  outcome: string,
  at: number,
): TraceRecord {
  const { url, method, body_size, received_at } = snapshot;
  return {
    url,
    method,
    body_size,
    status: 200,
    timestamps: { request_received: received_at, upstream_completed: at },
    attempts: [
      {
        channel_id: row.channel_id,
        channel_uuid: "",
        channel_name: channelName,
        started_at: row.created_at,
        ended_at: at,
        status: 200,
        outcome,
        error: null,
      },
    ],
    candidates: [],
  };
}
