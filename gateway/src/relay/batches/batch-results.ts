/**
 * The results that a batch which has ended left at its provider: its answers, and the words of its
 * log row.
 */
import type { ProviderBatchRow, ProviderFileRow } from "../../storage/tables/call-tables.ts";
import { buildBadAnswer } from "../creations/provider-objects.ts";
import { buildFileRow } from "../stored-files/file-object.ts";
import type { AbortableCall, AnswerBody } from "../upstream/answer-parts.ts";
import { buildPieces } from "../upstream/answer-pieces.ts";
import { type JsonRecord, parseObject } from "../wire/json-parts.ts";
import { LineSplitter } from "../wire/line-splitter.ts";
import type { BatchDialect, BatchEnd } from "./batch-dialect.ts";
import type { BatchOrder, BatchRates } from "./batch-terms.ts";
import { addLine, type BatchSum, emptySum } from "./batch-usage.ts";

/** `lineBytesMax` is one answer of a result, as large as that of a call. */
const lineBytesMax = 64 * 1024 * 1024;

/**
 * Reads the answers, and the requests that failed, line by line. Throws `RelayRefused` where a file
 * is not whole.
 */
export async function readResults(
  row: ProviderBatchRow,
  answer: JsonRecord,
  terms: BatchOrder & BatchRates,
  { formatOf, resultsOf, answerIn }: BatchDialect,
  read: (path: string) => Promise<AnswerBody & AbortableCall>,
  mintId: () => number,
): Promise<{ sum: BatchSum; files: ProviderFileRow[] }> {
  const sum = emptySum();
  const files: ProviderFileRow[] = [];
  const format = formatOf(terms.endpoint)?.upstream;
  if (!format) return { sum, files };
  const add = (lines: readonly Buffer[]): void => {
    for (const line of lines)
      addLine(sum, answerIn(parseObject(line.toString("utf8"))), format, terms);
  };
  for (const { path, fileId } of resultsOf(answer)) {
    const splitter = new LineSplitter(lineBytesMax);
    const content = await read(path);
    let bytes = 0;
    try {
      for await (const piece of buildPieces(content)) {
        bytes += piece.length;
        add(splitter.push(piece));
      }
      add(splitter.end());
    } catch (error) {
      if (content.failure) throw buildBadAnswer("The result of the batch is not whole");
      content.abort("the result cannot be read");
      throw error;
    }
    if (fileId === undefined) continue;
    const facts = { purpose: "batch_output", filename: `${row.batch_id}.jsonl`, bytes };
    files.push(
      buildFileRow({ id: fileId }, facts, {
        id: mintId(),
        channel_id: row.channel_id,
        user_id: row.user_id,
        team_id: row.team_id,
      }),
    );
  }
  return { sum, files };
}

export function readOutcome(end: BatchEnd, { answered }: BatchSum): string {
  if (answered > 0) return end === "completed" ? "success" : "cut";
  return end === "cancelled" ? "client_left" : "failed";
}

export function sumNote(
  end: BatchEnd,
  { answered, failed, uncounted, tiered }: BatchSum,
  { lines }: BatchOrder,
): string {
  const parts = [`batch of ${lines} lines, ${end}: ${answered} answered, ${failed} failed`];
  if (uncounted > 0) parts.push(`${uncounted} without a count, which are estimated`);
  if (tiered > 0) parts.push(`${tiered} charged at the rates for longer prompts`);
  return parts.join("; ");
}
