/** Questions to the cost API of every provider, and the reading of values in its answers. */
import * as z from "zod/mini";

export const dayMs = 86_400_000;
export const daySeconds = 86_400;

/**
 * `ReportedLine` is what a report says of one model on one day; what it does not count is missing.
 */
export interface ReportedLine {
  /** UTC days since 1970. */
  day: number;
  model: string;
  requests?: number;
  promptTokens?: number;
  completionTokens?: number;
  dollars?: number;
}

export interface CostReportPage {
  lines: ReportedLine[];
  /** The cursor of the next page. */
  next: string | undefined;
}

export interface CostReportSpan {
  /** UTC days since 1970, both included. */
  firstDay: number;
  lastDay: number;
}

export interface CostReportQuestion {
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  /** Throws `UnreadableReport`. */
  read(reply: unknown): CostReportPage;
}

export interface CostReportApi {
  headers(key: string): Record<string, string>;
  /** Each is asked page by page; a page is asked for by the parameter `page`. */
  questions(span: CostReportSpan, scope: string): CostReportQuestion[];
  /** `hasToday` says whether the provider reports the running day. */
  hasToday: boolean;
}

export class UnreadableReport extends Error {}

const nameCharsMax = 200;

/** Stands for a cost that the provider names by no model. */
const unnamed = "(no model)";

/** Names come from outside and go into databases and pages. */
export const cleanName = (name: string | null | undefined): string =>
  (name ?? "")
    .toWellFormed()
    .replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, nameCharsMax) || unnamed;

const count = z.int().check(z.minimum(0));
export const optionalCount = z.nullish(count);
export const optionalName = z.nullish(z.string());

/** Providers send amounts as numbers or as decimal text; credits are negative. */
const amountMax = 1_000_000_000;

export const amount = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^-?\d{1,12}(?:\.\d{1,40})?(?:[eE]-?\d{1,2})?$/))]),
  z.transform(Number),
);

export function parse<Schema extends z.ZodMiniType>(
  schema: Schema,
  reply: unknown,
): z.output<Schema> {
  const { success, data } = z.safeParse(schema, reply);
  if (!success)
    throw new UnreadableReport("the provider's report has another form than its reference says");
  return data;
}

export function formatDollars(value: number, currency: string): number {
  if (currency.toLowerCase() !== "usd" || Math.abs(value) > amountMax)
    throw new UnreadableReport("the provider's report is not in US dollars");
  return value;
}

/** A page of buckets, one for each day. */
export const buildPageShape = <Bucket extends z.ZodMiniType>(bucket: Bucket) =>
  z.object({
    data: z.array(bucket),
    has_more: z.nullish(z.boolean()),
    next_page: z.nullish(z.string().check(z.maxLength(1_000))),
  });

export const findNext = ({
  has_more,
  next_page,
}: z.output<ReturnType<typeof buildPageShape>>): string | undefined =>
  has_more === true && next_page ? next_page : undefined;

export const dayOfSeconds = z.pipe(
  count,
  z.transform((seconds) => Math.floor(seconds / daySeconds)),
);

export const dayOfText = z.pipe(
  z.string().check(z.regex(/^\d{4}-\d\d-\d\d(?:[T ].{1,30})?$/)),
  z.transform((text) => Math.floor(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / dayMs)),
);

/** Buckets of one page: Anthropic allows 31, OpenAI 31 of usage and 180 of costs. */
export const daysPerPage = "31";
