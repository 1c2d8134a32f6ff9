/**
 * Differences between the batches of two vendors: addresses, members, and the lines of a result.
 * Each implementation is pure.
 */

import type { ObjectApi } from "../creations/provider-objects.ts";
import type { ClientFormat } from "../formats/api-format.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import type { BatchOrder } from "./batch-terms.ts";

export type BatchDialectName = "openai" | "anthropic";
export type BatchEnd = "completed" | "failed" | "expired" | "cancelled";

/** A part of the results of a batch at its provider. */
export interface BatchResult {
  path: string;
  /** `fileId` is set where it is a file, which the user may read as one. */
  fileId?: string;
}

export interface BatchDialect {
  name: BatchDialectName;
  api: ObjectApi;
  /** The batches of an account, beside the API. */
  path: string;
  /** `formatOf` says how the lines of a batch speak. */
  formatOf(endpoint: string): ClientFormat | undefined;
  /** Undefined while it runs. */
  endOf(answer: JsonRecord): BatchEnd | undefined;
  /** The latest moment at which the provider ends it, in milliseconds. */
  expiryOf(answer: JsonRecord): number | undefined;
  resultsOf(answer: JsonRecord): BatchResult[];
  /** The answer in a line of the results; undefined for a line that failed. */
  answerIn(line: JsonRecord): JsonRecord | undefined;
  /**
   * `madeAt` is the moment at which a batch of the provider's list was made, in milliseconds; 0
   * where it does not say.
   */
  madeAt(listed: JsonRecord): number;
  /**
   * `hasTerms` says whether a batch of the provider's list has the terms of a creation that had no
   * usable answer.
   */
  hasTerms(listed: JsonRecord, asked: BatchOrder): boolean;
  /**
   * `areTermsUnique` says whether these terms are of one user alone. Otherwise a batch that is
   * found by them is shown to no client.
   */
  areTermsUnique: boolean;
  /** `lostCreation` is what becomes of such a creation, for its client. */
  lostCreation: string;
}

/** The year 2500. */
const timeMaxMs = 16_725_225_600_000;

/** A time that a provider states, if it is one. */
export const findPlausibleTime = (ms: number): number | undefined =>
  ms > 0 && ms < timeMaxMs ? ms : undefined;
